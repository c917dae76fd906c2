//go:build !unix

package library

// nonBlocking is zero on systems without named pipes in folders.
const nonBlocking = 0
