//go:build !unix

package scan

// isWatchLimit is never true where watching knows no limit.
func isWatchLimit(error) bool { return false }
