package scan

// Remember sets how many new files a scan keeps in mind before it looks twice.
func SetMaxPending(s *Scanner, files int) { s.maxPending = files }
