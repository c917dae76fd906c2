//go:build !unix

package scan

// isLimit is never true where watching knows no limit.
func isLimit(error) bool { return false }
