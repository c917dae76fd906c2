package scan

// SetMaxPending sets how many new files a scan holds in memory before it walks twice.
func SetMaxPending(s *Scanner, files int) { s.maxPending = files }

// LimitCompared sets the limit of pairs of playlist entries and files with the same name.
func LimitCompared(s *Scanner, pairs int) { s.mostCompared = pairs }
