package catalog

import "database/sql"

// Pools tells how busy the connections to the database are, by what they are for.
func (s *Store) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"read": s.read.Stats(), "write": s.write.Stats()}
}
