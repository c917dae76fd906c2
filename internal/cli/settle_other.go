//go:build !linux

package cli

// unmapProgram leaves the program to the system.
func unmapProgram() {}
