// Composer generates the demo music that is embedded in Waxwing: it renders the scores in package
// pieces, encodes and tags the tracks, draws the covers and writes a playlist.
//
//	cd composer && go run .
//
// writes ../internal/demo/music (-out selects another folder, -only some of the albums). It needs
// ffmpeg. The output is deterministic: with the same ffmpeg the files are equal byte for byte.
// Commit them only when a change is final, because every version stays in the history.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"waxwing/composer/release"
)

func main() {
	out := flag.String("out", "../internal/demo/music", "music folder to write to")
	only := flag.String("only", "", "generate only albums whose title contains this text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "composer:", err)
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
