// Compose makes the music that is built into Waxwing: it plays the scores in package
// pieces, encodes and tags them, paints the covers and writes a playlist.
//
//	go run ./internal/demo/compose
//
// writes internal/demo/music anew (-out names another folder, -only some of the albums). It
// needs Debian's ffmpeg. The same sources give the same audio: the synthesis uses no
// clock and no outside chance, and the encoders run in their bit-exact mode, so with
// the same ffmpeg the files are equal byte for byte. Commit them only when a change is
// final, since every version stays in the history.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"waxwing/internal/demo/compose/release"
)

func main() {
	out := flag.String("out", "internal/demo/music", "music folder to write to")
	only := flag.String("only", "", "press only albums whose title contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "compose:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, only string) error {
	var sampler release.Playlist
	for _, album := range release.Collection() {
		if !strings.Contains(album.Title, only) {
			continue
		}
		if err := album.Press(ctx, out, os.Stdout, &sampler); err != nil {
			return fmt.Errorf("press %s: %w", album.Title, err)
		}
	}
	if only != "" {
		return nil
	}
	return sampler.Save(out)
}
