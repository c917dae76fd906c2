// Waxwing is a music service in one binary: a player with a local control API, and a catalog.
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
	context.AfterFunc(ctx, stop) // whoever asks a second time does not want to wait
	code := cli.Run(ctx, cli.System(), version, os.Args[1:])
	stop()
	os.Exit(code)
}
