//go:build !unix

package cli

import "waxwing/internal/app"

// restoreOwner does nothing on systems without Unix file ownership.
func restoreOwner(dir app.DataDir) error { return nil }
