package catalog

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeFacts decodes the facts of a song. Pages of songs decode many: what encode wrote is parsed
// in place, and only facts of another form, such as those of an older program, as any JSON.
func decodeFacts(facts string) (f SongFacts, err error) {
	if p := (factsParser{rest: facts}); validText(facts) && p.parse(&f) {
		return f, nil
	}
	f = SongFacts{}
	return f, json.Unmarshal([]byte(facts), &f)
}

// validText reports whether text is UTF-8 without control characters, which JSON requires. It
// examines eight bytes at once.
func validText(text string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	b, ascii := []byte(text), true
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		if (word-each*' ')&^word&high != 0 {
			return false
		}
		ascii = ascii && word&high == 0
	}
	for _, c := range b {
		if c < ' ' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(text)
}

// decodeArtists decodes a list of artists like decodeFacts.
func decodeArtists(list string) (refs []ArtistRef, err error) {
	if p := (factsParser{rest: list}); validText(list) && p.skip(`[`) && p.artists(&refs) && p.rest == "" {
		return refs, nil
	}
	refs = nil
	return refs, json.Unmarshal([]byte(list), &refs)
}

// factsParser parses SongFacts in the order of its fields. Each method reports whether the text
// continues as expected.
type factsParser struct {
	rest string
	// values is where the optional values are, in one piece of memory.
	values *factsValues
}

type factsValues struct {
	texts    [5]string
	numbers  [3]int
	explicit bool
}

func (p *factsParser) parse(f *SongFacts) bool {
	p.values = &factsValues{}
	texts, numbers := &p.values.texts, &p.values.numbers
	return p.skip(`{"title":`) && p.text(&f.Title) &&
		p.skip(`,"artist":`) && p.optionalText(&f.Artist, &texts[0]) &&
		p.skip(`,"artist_id":`) && p.optionalText(&f.ArtistID, &texts[1]) &&
		p.skip(`,"artists":[`) && p.artists(&f.Artists) &&
		p.skip(`,"album":`) && p.optionalText(&f.Album, &texts[2]) &&
		p.skip(`,"album_id":`) && p.optionalText(&f.AlbumID, &texts[3]) &&
		p.skip(`,"track_number":`) && p.optionalNumber(&f.TrackNumber, &numbers[0]) &&
		p.skip(`,"disc_number":`) && p.optionalNumber(&f.DiscNumber, &numbers[1]) &&
		p.skip(`,"duration":`) && p.number(&f.Duration) &&
		p.skip(`,"year":`) && p.optionalNumber(&f.Year, &numbers[2]) &&
		p.skip(`,"genre":`) && p.optionalText(&f.Genre, &texts[4]) &&
		p.skip(`,"explicit":`) && p.optionalBool(&f.Explicit) && p.rest == `}`
}

func (p *factsParser) skip(prefix string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, prefix)
	return ok
}

// text parses a text without escapes; others need a new string.
func (p *factsParser) text(into *string) bool {
	if !p.skip(`"`) {
		return false
	}
	end := strings.IndexByte(p.rest, '"')
	if end < 0 {
		return false
	}
	if strings.IndexByte(p.rest[:end], '\\') < 0 {
		*into, p.rest = p.rest[:end], p.rest[end+1:]
		return true
	}
	end = 0
	for p.rest[end] != '"' {
		if p.rest[end] == '\\' {
			end++
		}
		if end++; end >= len(p.rest) {
			return false
		}
	}
	quoted := `"` + p.rest[:end+1]
	p.rest = p.rest[end+1:]
	return json.Unmarshal([]byte(quoted), into) == nil
}

func (p *factsParser) optionalText(into **string, at *string) bool {
	if p.skip(`null`) {
		return true
	}
	*into = at
	return p.text(at)
}

func (p *factsParser) number(into *int64) bool {
	end := 0
	for end < len(p.rest) && (p.rest[end] == '-' || '0' <= p.rest[end] && p.rest[end] <= '9') {
		end++
	}
	digits := strings.TrimPrefix(p.rest[:end], "-")
	n, err := strconv.ParseInt(p.rest[:end], 10, 64)
	*into, p.rest = n, p.rest[end:]
	return err == nil && (digits == "0" || digits[0] != '0') // JSON has no leading zeros
}

func (p *factsParser) optionalNumber(into **int, at *int) bool {
	if p.skip(`null`) {
		return true
	}
	var n int64
	ok := p.number(&n)
	*at = int(n)
	*into = at
	return ok
}

func (p *factsParser) optionalBool(into **bool) bool {
	switch {
	case p.skip(`null`):
		return true
	case p.skip(`true`):
		p.values.explicit = true
	case !p.skip(`false`):
		return false
	}
	*into = &p.values.explicit
	return true
}

// artists parses a list whose opening bracket is read.
func (p *factsParser) artists(into *[]ArtistRef) bool {
	*into = []ArtistRef{}
	if p.skip(`]`) {
		return true
	}
	for {
		var ref ArtistRef
		if !(p.skip(`{"id":`) && p.text(&ref.ID) && p.skip(`,"username":`) && p.text(&ref.Username) &&
			p.skip(`,"name":`) && p.text(&ref.Name) && p.skip(`}`)) {
			return false
		}
		*into = append(*into, ref)
		if p.skip(`]`) {
			return true
		}
		if !p.skip(`,`) {
			return false
		}
	}
}
