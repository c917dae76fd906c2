package scan

// SetMaxPending sets how many new files a scan holds in memory before it walks twice.
func SetMaxPending(s *Scanner, files int) { s.maxPending = files }
