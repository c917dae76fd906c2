package tags

import (
	"math"
	"slices"
	"strings"
	"time"

	"waxwing/internal/lyrics"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/text"
)

// addLyrics adds a text in a language, which may be unknown.
func (f *fields) addLyrics(lang, value string) {
	t := lyrics.Text{
		Source: lyrics.Tag, Lang: lyrics.CleanLang(lang), Text: strings.Trim(text.Latin1([]byte(value)), "\x00\r\n\ufeff "),
	}
	if t.Text != "" && len(t.Text) <= lyrics.MaxBytes && len(f.lyrics) < lyrics.MaxTexts && !slices.Contains(f.lyrics, t) {
		f.lyrics = append(f.lyrics, t)
	}
}

// finishLyrics collects the texts of all tags.
func (p *parser) finishLyrics() {
	for _, s := range p.syncedLyrics {
		unit := 1.0
		if s.Frames {
			unit = p.frameTime
		}
		if unit == 0 {
			continue // the audio has no MPEG frames to count
		}
		t := lyrics.Text{Source: lyrics.SYLT, Lang: lyrics.CleanLang(s.Lang), Text: syncedLines(s.Syllables, unit).Format()}
		if !slices.Contains(p.tags.Lyrics, t) {
			p.tags.Lyrics = append(p.tags.Lyrics, t)
		}
	}
	p.tags.Lyrics = append(p.tags.Lyrics, p.fields.lyrics...)
	p.tags.Lyrics = p.tags.Lyrics[:min(len(p.tags.Lyrics), lyrics.MaxTexts)]
}

// syncedLines joins syllables into lines at their line breaks, for Format. Without any line break,
// each is a line of its own. unit is the number of milliseconds that their times count.
func syncedLines(syllables []id3.Syllable, unit float64) lyrics.Lyrics {
	out := lyrics.Lyrics{Synced: true}
	broken := slices.ContainsFunc(syllables, func(s id3.Syllable) bool { return strings.ContainsAny(s.Text, "\r\n") })
	open := false // the last line goes on
	for _, s := range syllables {
		at := time.Duration(math.Round(min(float64(s.Time)*unit, math.MaxInt32))) * time.Millisecond
		content := strings.Trim(s.Text, "\r\n\x00")
		begins := strings.TrimLeft(s.Text, "\r\n") != s.Text
		if !broken || begins || !open {
			out.Lines = append(out.Lines, lyrics.Line{Start: at})
		}
		line := &out.Lines[len(out.Lines)-1]
		if content != "" {
			line.Words = append(line.Words, lyrics.Word{Start: at, Text: content})
		}
		open = !strings.HasSuffix(s.Text, "\n") && !strings.HasSuffix(s.Text, "\r") || content == ""
	}
	for i := range out.Lines {
		if line := &out.Lines[i]; len(line.Words) == 1 { // a line of one piece has no other time
			line.Text, line.Words = line.Words[0].Text, nil
		}
	}
	return out
}
