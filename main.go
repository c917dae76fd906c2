// Waxwing is a music player daemon and library server in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"waxwing/internal/cli"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := cli.Run(ctx, cli.System(), version, os.Args[1:])
	stop()
	os.Exit(code)
}
