package catalog

import "database/sql"

// Pools returns the statistics of the connection pools by purpose.
func (s *Store) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"read": s.read.Stats(), "write": s.write.Stats()}
}
