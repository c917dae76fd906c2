package cataloghttp

import (
	"bytes"
	"context"
	"encoding/json"

	"waxwing/api/catalogapi"
	"waxwing/internal/lyrics"
)

func (s *server) lyrics(ctx context.Context, a readRequest) ([]byte, int64, error) {
	texts, err := s.store.Lyrics(ctx, a.PathValue("song_id"))
	if err != nil {
		return nil, 0, err
	}
	reply := catalogapi.LyricsReply{Lyrics: []catalogapi.Lyrics{}}
	for _, l := range lyrics.ParseAll(texts) {
		reply.Lyrics = append(reply.Lyrics, wireLyrics(l))
	}
	b := bytes.NewBuffer(a.buf)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(reply); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), int64(len(reply.Lyrics)), nil
}

func wireLyrics(l lyrics.Lyrics) catalogapi.Lyrics {
	out := catalogapi.Lyrics{
		Synced: l.Synced, Offset: int(l.Offset.Milliseconds()), Lines: make([]catalogapi.LyricLine, len(l.Lines)),
	}
	if l.Lang != "" {
		out.Lang = &l.Lang
	}
	for i, line := range l.Lines {
		out.Lines[i].Text = line.Text
		if l.Synced {
			start := int(line.Start.Milliseconds())
			out.Lines[i].Start = &start
		}
		for _, w := range line.Words {
			word := catalogapi.LyricWord{Start: int(w.Start.Milliseconds()), Text: w.Text}
			out.Lines[i].Words = append(out.Lines[i].Words, word)
		}
	}
	return out
}
