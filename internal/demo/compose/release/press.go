package release

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"waxwing/internal/demo/compose/cover"
)

// Press writes one album to a music folder and says on log what it made.
func (a Album) Press(ctx context.Context, folder string, log io.Writer) error {
	if err := os.MkdirAll(filepath.Join(folder, a.Folder()), 0o755); err != nil {
		return fmt.Errorf("make album folder: %w", err)
	}
	var takes []Take
	for _, side := range a.Sides {
		takes = append(takes, side.Record()...)
	}
	lufs, peak := together(takes)
	for i, take := range takes {
		name := a.File(i+1, take.Track.Title, take.Format)
		file := filepath.Join(folder, name)
		if err := take.Encode(ctx, file); err != nil {
			return err
		}
		tagged := labels{album: a, take: take, number: i + 1, total: len(takes), albumLUFS: lufs, albumPeak: peak}
		if err := tagged.write(file); err != nil {
			return err
		}
		if err := report(log, file, name, take); err != nil {
			return err
		}
	}
	return cover.Save(filepath.Join(folder, a.Folder(), "cover.jpg"), a.Cover)
}

// together is the loudness and peak of an album: the mean of power over its time.
func together(takes []Take) (lufs, peak float64) {
	power, time := 0.0, 0.0
	for _, t := range takes {
		seconds := float64(t.Sound.Len()) / t.Format.Rate
		power += seconds * math.Pow(10, t.LUFS/10)
		time += seconds
		peak = max(peak, t.Peak)
	}
	return 10 * math.Log10(power/time), peak
}

func report(log io.Writer, file, name string, take Take) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("look at what was encoded: %w", err)
	}
	seconds := float64(take.Sound.Len()) / take.Format.Rate
	_, err = fmt.Fprintf(log, "%-58s %5.1f s %6.1f LUFS %5.2f peak %5d KB\n", name, seconds, take.LUFS, take.Peak, info.Size()/1000)
	return err
}

// samplerOrder is the way from dusk to morning.
var samplerOrder = []string{
	"Lamplight Waltz", "Paper Boats", "Cirrus", "Last Tram Home", "コイン Garden", "Night Bus 23", "Terminus",
	"Snow Globe", "Ebb", "Flood", "Añil", "Blå time", "First Frost", "Wren, Unwinding",
}

// Playlist is the sampler as an extended M3U with paths relative to the music folder.
func Playlist() (string, error) {
	entries := map[string]string{}
	for _, album := range Collection() {
		number := 0
		for _, side := range album.Sides {
			session := side.Session()
			from := 0.0
			for _, track := range side.Tracks {
				number++
				to := float64(session.Frames(side.Format.Rate)) / side.Format.Rate
				if track.Until > 0 {
					to = session.Clock.Seconds(track.Until)
				}
				entries[track.Title] = fmt.Sprintf("#EXTINF:%.0f,%s - %s\n%s\n", math.Round(to-from), track.Artist, track.Title, album.File(number, track.Title, side.Format))
				from = to
			}
		}
	}
	var list strings.Builder
	list.WriteString("#EXTM3U\n#PLAYLIST:" + SamplerName + "\n")
	for _, title := range samplerOrder {
		entry, ok := entries[title]
		if !ok {
			return "", fmt.Errorf("no track named %q for the sampler", title)
		}
		list.WriteString(entry)
	}
	return list.String(), nil
}

// SamplerName is the playlist's name and, with .m3u8, its file.
const SamplerName = "Waxwing sampler"
