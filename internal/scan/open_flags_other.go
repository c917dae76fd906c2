//go:build !unix

package scan

// nonBlocking is nothing where files cannot be pipes.
const nonBlocking = 0
