//go:build !unix

package cli

// giveBack has nothing to do where files do not belong to whoever made them.
func (p place) giveBack() error { return nil }
