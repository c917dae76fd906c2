package player

import (
	"cmp"
	"context"
	"slices"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/lyrics"
	"waxwing/internal/stream"
)

// Lyrics returns the texts of a song of the catalog, the best one first. A song that is no longer
// there has none.
func (l Remote) Lyrics(ctx context.Context, id string) ([]lyrics.Lyrics, error) {
	if stream.IsID(id) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	found, err := l.Catalog.Lyrics(ctx, id)
	if err != nil {
		err = catalogFault(err, "there is no song "+clip(id, maxID))
		if kind, _ := fault.Of(err); kind == fault.NotFound {
			return nil, nil
		}
		return nil, err
	}
	all := make([]lyrics.Lyrics, 0, len(found))
	for _, f := range found[:min(len(found), lyrics.MaxTexts)] {
		out := lyrics.Lyrics{
			Lang: lyrics.CleanLang(orEmpty(f.Lang)), Synced: f.Synced, Offset: millis(f.Offset),
		}
		for _, line := range f.Lines[:min(len(f.Lines), lyrics.MaxLines)] {
			out.Lines = append(out.Lines, lyrics.Line{Text: clip(line.Text, maxLine)})
			last := &out.Lines[len(out.Lines)-1]
			if f.Synced && line.Start != nil {
				last.Start = millis(max(*line.Start, 0))
			}
			for _, w := range line.Words {
				last.Words = append(last.Words, lyrics.Word{Start: millis(max(w.Start, 0)), Text: clip(w.Text, maxLine)})
			}
		}
		if f.Synced {
			slices.SortStableFunc(out.Lines, func(a, b lyrics.Line) int { return cmp.Compare(a.Start, b.Start) })
		}
		all = append(all, out)
	}
	return all, nil
}

// maxLine is the longest line of lyrics of a catalog, in bytes.
const maxLine = 4 << 10

// millis converts milliseconds without overflow.
func millis(ms int) time.Duration {
	const far = int(1000 * time.Hour / time.Millisecond)
	return time.Duration(min(max(ms, -far), far)) * time.Millisecond
}
