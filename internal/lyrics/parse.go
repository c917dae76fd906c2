package lyrics

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/media/text"
)

// Parse parses a text. It is LRC if at least half of its lines with text have a timestamp; other
// text is not synced. In LRC, a line without a timestamp has those of the line before it, so that
// nothing is lost.
func Parse(s string) Lyrics {
	lines := splitLines(strings.TrimPrefix(cut(s), "\ufeff"))
	p := parser{times: []time.Duration{0}}
	for _, line := range lines {
		p.add(line)
	}
	if p.timed == 0 || p.timed < p.untimed {
		return plain(lines)
	}
	slices.SortStableFunc(p.out.Lines, func(a, b Line) int { return cmp.Compare(a.Start, b.Start) })
	p.out.Lines = p.out.Lines[:min(len(p.out.Lines), MaxLines)]
	p.out.Synced = true
	return p.out
}

// cut shortens a text to MaxBytes, without the line that is cut.
func cut(s string) string {
	if len(s) <= MaxBytes {
		return s
	}
	s = s[:MaxBytes]
	return s[:max(strings.LastIndexAny(s, "\r\n"), 0)]
}

// splitLines splits at LF, CR and CRLF.
func splitLines(s string) []string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.SplitN(s, "\n", MaxLines+1)[:min(strings.Count(s, "\n")+1, MaxLines)]
}

// plain returns lines without times. Empty lines separate verses; there are none at the ends.
func plain(lines []string) (out Lyrics) {
	for _, line := range lines {
		line = text.Clean(line)
		if line != "" || len(out.Lines) > 0 {
			out.Lines = append(out.Lines, Line{Text: line})
		}
	}
	for n := len(out.Lines); n > 0 && out.Lines[n-1].Text == ""; n-- {
		out.Lines = out.Lines[:n-1]
	}
	return out
}

// parser reads LRC line by line.
type parser struct {
	out            Lyrics
	times          []time.Duration // of the last line that had any
	timed, untimed int             // lines
	bytes, words   int             // of all lines, each time that they are sung
}

// Limits of what one text may become: a line can be repeated at many times.
const (
	maxTimes  = 64      // of one line
	maxWords  = 20_000  // of all lines; further lines have no words
	maxOutput = 1 << 20 // bytes of all lines; further lines are ignored
)

func (p *parser) add(line string) {
	line = strings.TrimSpace(line)
	times, rest := leadingTimes(line)
	if len(times) == 0 {
		if p.addTag(rest) {
			return
		}
		if at, _, ok := cutTime(rest, '<', '>'); ok { // enhanced LRC without the time of the line
			times = []time.Duration{at}
		}
	}
	if len(times) == 0 {
		rest = withoutBadTime(rest)
		if text.Clean(rest) == "" {
			return
		}
		p.untimed++
	} else {
		p.timed++
		p.times = times
	}
	content, words := splitWords(rest, p.times[0])
	for _, at := range p.times {
		p.bytes += len(content)
		if len(p.out.Lines) >= 2*MaxLines || p.bytes > maxOutput {
			return
		}
		l := Line{Start: at, Text: content}
		if p.words += len(words); p.words > maxWords {
			words = nil
		}
		for _, w := range words {
			l.Words = append(l.Words, Word{max(w.Start+at-p.times[0], 0), w.Text})
		}
		p.out.Lines = append(p.out.Lines, l)
	}
}

// leadingTimes cuts the timestamps off the beginning of a line.
func leadingTimes(line string) (times []time.Duration, rest string) {
	for len(times) < maxTimes {
		at, after, ok := cutTime(line, '[', ']')
		if !ok {
			break
		}
		times = append(times, at)
		line = strings.TrimLeft(after, " \t")
	}
	return times, line
}

// cutTime cuts a timestamp between two brackets off the beginning of s.
func cutTime(s string, open, end byte) (at time.Duration, rest string, ok bool) {
	if s == "" || s[0] != open {
		return 0, s, false
	}
	closing := strings.IndexByte(s[:min(len(s), 32)], end)
	if closing < 0 {
		return 0, s, false
	}
	at, ok = parseTime(strings.TrimSpace(s[1:closing]))
	if !ok {
		return 0, s, false
	}
	return at, s[closing+1:], true
}

// parseTime parses mm:ss with an optional fraction after a dot, a comma or another colon, and
// hh:mm:ss with a fraction after a dot. Minutes may have any number of digits. Seconds may reach
// 99, because some writers round 59.995 up to 60.00.
func parseTime(s string) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	parts := strings.Split(whole, ":")
	if len(parts) == 3 && !strings.ContainsAny(s, ".,") {
		parts, fraction = parts[:2], parts[2]
	}
	if len(parts) < 2 || len(parts) > 3 || len(fraction) > 9 {
		return 0, false
	}
	var seconds int
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || i > 0 && (len(part) > 2 || n > 99) {
			return 0, false
		}
		seconds = seconds*60 + int(n)
	}
	at := time.Duration(seconds) * time.Second
	if fraction != "" {
		n, err := strconv.ParseUint(fraction, 10, 32)
		if err != nil {
			return 0, false
		}
		part := time.Duration(n)
		for range 9 - len(fraction) {
			part *= 10
		}
		at += part.Round(time.Millisecond)
	}
	return at, at <= maxTime
}

// addTag reports whether a line is a tag, such as [ar:Name], and reads the offset. Other tags,
// known or not, describe the song and are left out.
func (p *parser) addTag(line string) bool {
	if !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
		return false
	}
	name, value, found := strings.Cut(line[1:len(line)-1], ":")
	if !found || strings.Contains(value, "]") || !isTagName(name) {
		return false
	}
	if strings.EqualFold(name, "offset") {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if offset := time.Duration(n) * time.Millisecond; err == nil && offset.Abs() <= maxOffset {
			p.out.Offset = offset
		}
	}
	return true
}

// maxOffset is the largest believable offset.
const maxOffset = 10 * time.Minute

func isTagName(name string) bool {
	if name == "" || len(name) > 16 {
		return false
	}
	for _, c := range []byte(name) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '#' && c != '_' {
			return false
		}
	}
	return true
}

// withoutBadTime removes what looks like a timestamp and is none, such as [1:2x.00], from the
// beginning of a line.
func withoutBadTime(line string) string {
	if len(line) < 2 || line[0] != '[' || line[1] != '-' && (line[1] < '0' || line[1] > '9') {
		return line
	}
	end := strings.IndexByte(line[:min(len(line), 32)], ']')
	if end < 0 || !strings.Contains(line[:end], ":") {
		return line
	}
	return line[end+1:]
}

// splitWords cuts the text of a line at the timestamps of its words. Text before the first one
// begins with the line. The words are nil if the line has no such timestamp.
func splitWords(s string, start time.Duration) (line string, words []Word) {
	var b strings.Builder
	at, from, timed, spaced := start, 0, false, true
	add := func(piece string) {
		clean := text.Clean(piece)
		if strings.HasPrefix(piece, " ") && !spaced {
			words[len(words)-1].Text += " "
			b.WriteByte(' ')
			spaced = true
		}
		if clean == "" {
			return
		}
		if spaced = strings.HasSuffix(piece, " "); spaced {
			clean += " "
		}
		words = append(words, Word{at, clean})
		b.WriteString(clean)
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '<' {
			continue
		}
		next, rest, ok := cutTime(s[i:], '<', '>')
		if !ok {
			continue
		}
		timed = true
		add(s[from:i])
		at, from = next, len(s)-len(rest)
		i = from - 1
	}
	if !timed {
		return text.Clean(s), nil
	}
	add(s[from:])
	if n := len(words); n > 0 {
		words[n-1].Text = strings.TrimSuffix(words[n-1].Text, " ")
	}
	return strings.TrimSuffix(b.String(), " "), words
}
