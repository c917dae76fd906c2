//go:build !unix

package scan

// nonBlocking is zero on systems without named pipes in folders.
const nonBlocking = 0
