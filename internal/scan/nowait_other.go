//go:build !unix

package scan

// noWait is nothing where files cannot be pipes.
const noWait = 0
