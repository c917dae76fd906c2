//go:build !unix

package scan

// isWatchLimit is always false: the number of watches is not limited here.
func isWatchLimit(error) bool { return false }
