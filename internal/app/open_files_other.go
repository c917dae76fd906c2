//go:build !unix

package app

// openFiles returns how many files this process may open.
func openFiles() int { return 1 << 16 }
