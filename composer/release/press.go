package release

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"waxwing/composer/cover"
)

// Press writes one album to a music folder, reports the files to log and adds its tracks
// to the playlist.
func (a Album) Press(ctx context.Context, folder string, log io.Writer, list *Playlist) error {
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
		list.add(name, take)
	}
	return cover.Save(filepath.Join(folder, a.Folder(), "cover.jpg"), a.Cover)
}

// together is the loudness and peak of an album: the mean of power over its time.
func together(takes []Take) (lufs, peak float64) {
	power, time := 0.0, 0.0
	for _, t := range takes {
		power += t.Seconds() * math.Pow(10, t.LUFS/10)
		time += t.Seconds()
		peak = max(peak, t.Peak)
	}
	return 10 * math.Log10(power/time), peak
}

func report(log io.Writer, file, name string, take Take) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("look at what was encoded: %w", err)
	}
	_, err = fmt.Fprintf(
		log,
		"%-58s %5.1f s %6.1f LUFS %5.2f peak %5d KB\n",
		name,
		take.Seconds(),
		take.LUFS,
		take.Peak,
		info.Size()/1000,
	)
	return err
}
