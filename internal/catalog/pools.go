package catalog

import "database/sql"

// Pools returns the statistics of the connection pools by purpose. That of replicas is their sum.
func (s *Store) Pools() map[string]sql.DBStats {
	pools := map[string]sql.DBStats{"read": s.read.Stats(), "write": s.write.Stats()}
	if len(s.replicas.all) == 0 {
		return pools
	}
	var sum sql.DBStats
	for _, r := range s.replicas.all {
		one := r.source.read.Stats()
		sum.MaxOpenConnections += one.MaxOpenConnections
		sum.OpenConnections += one.OpenConnections
		sum.InUse += one.InUse
		sum.Idle += one.Idle
		sum.WaitCount += one.WaitCount
		sum.WaitDuration += one.WaitDuration
	}
	pools["replica"] = sum
	return pools
}
