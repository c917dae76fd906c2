package tags

import (
	"bytes"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
	"waxwing/internal/media/text"
)

// id3Text maps the text frames of ID3v2.3/2.4 and 2.2 to their meaning.
var id3Text = map[string]field{
	"TIT2": fieldTitle, "TT2": fieldTitle, "TSOT": fieldTitleSort, "TST": fieldTitleSort,
	"TPE1": fieldArtist, "TP1": fieldArtist, "TSOP": fieldArtistSort, "TSP": fieldArtistSort, "XSOP": fieldArtistSort,
	"TALB": fieldAlbum, "TAL": fieldAlbum, "TSOA": fieldAlbumSort, "TSA": fieldAlbumSort,
	"TPE2": fieldAlbumArtist, "TP2": fieldAlbumArtist, "TSO2": fieldAlbumArtistSort, "TS2": fieldAlbumArtistSort,
	"TRCK": fieldTrack, "TRK": fieldTrack, "TPOS": fieldDisc, "TPA": fieldDisc,
	"TDRC": fieldDate, "TDRL": fieldYear, "TYER": fieldYear, "TYE": fieldYear, "TDOR": fieldOriginalDate, "TORY": fieldOriginalDate, "TOR": fieldOriginalDate,
	"TCON": fieldGenre, "TCO": fieldGenre, "TCMP": fieldCompilation, "TCP": fieldCompilation,
}

// frame takes what is wanted from one frame; what it cannot read it passes over.
func (t *id3Tag) frame(f id3Frame) error {
	switch {
	case f.unreadable:
		return nil
	case f.id == "APIC" || f.id == "PIC":
		return t.picture(f)
	case f.id == "TXXX" || f.id == "TXX" || f.id == "UFID" || f.id == "UFI" || f.id == "COMM" || f.id == "COM" || id3Text[f.id] != fieldNone:
	default:
		return nil
	}
	if f.size > maxID3Text {
		return nil
	}
	b, err := t.w.At(f.off, int(f.size))
	if err != nil {
		return err
	}
	if b = t.content(f, b); len(b) < 2 {
		return nil
	}
	switch f.id {
	case "TXXX", "TXX":
		if values := id3Strings(b[0], b[1:]); len(values) > 1 {
			for _, v := range values[1:] {
				t.fields.addNamed(values[0], v)
			}
		}
	case "UFID", "UFI":
		owner, id, _ := bytes.Cut(b, []byte{0})
		if string(owner) == "http://musicbrainz.org" {
			t.fields.add(fieldRecordingID, string(id))
		}
	case "COMM", "COM":
		// iTunes keeps its gapless figures in a comment.
		if len(b) > 4 {
			if values := id3Strings(b[0], b[4:]); len(values) > 1 && values[0] == "iTunSMPB" {
				t.fields.add(fieldGapless, values[1])
			}
		}
	default:
		k := id3Text[f.id]
		for _, v := range id3Strings(b[0], b[1:]) {
			if k == fieldGenre {
				t.addID3Genre(v)
			} else {
				t.fields.add(k, v)
			}
		}
	}
	return nil
}

// content undoes what the frame's flags say was done to it. b may be changed in place only when it is copied first.
func (t *id3Tag) content(f id3Frame, b []byte) []byte {
	if f.unsync {
		b = synchronise(bytes.Clone(b))
	}
	if f.lengthInfo || (f.compressed && t.version == 3) {
		if len(b) < 4 {
			return nil
		}
		b = b[4:]
	}
	if !f.compressed {
		return b
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(z, maxID3Text))
	if err != nil {
		return nil
	}
	return out
}

// id3Strings decodes the strings of a text frame, which are separated by NUL.
func id3Strings(encoding byte, b []byte) []string {
	var out []string
	switch encoding {
	case 1, 2:
		bigEndian := encoding == 2
		for len(b) >= 2 && len(out) < maxValues {
			end := 0
			for end+1 < len(b) && (b[end] != 0 || b[end+1] != 0) {
				end += 2
			}
			out = append(out, text.UTF16(b[:end], &bigEndian))
			b = b[min(end+2, len(b)):]
		}
	default:
		for len(b) > 0 && len(out) < maxValues {
			var s []byte
			s, b, _ = bytes.Cut(b, []byte{0})
			if encoding == 3 {
				out = append(out, string(s))
			} else {
				out = append(out, text.Latin1(s))
			}
		}
	}
	return out
}

// addID3Genre reads "Jazz", "8", "(8)", "(8)(17)" and "(8)Acid Jazz".
func (t *id3Tag) addID3Genre(s string) {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "((") {
		end := strings.IndexByte(s, ')')
		if end < 0 {
			break
		}
		name := genreCode(s[1:end])
		if name == "" {
			break
		}
		s = s[end+1:]
		if s == "" || s[0] == '(' {
			t.fields.add(fieldGenre, name)
		}
	}
	if s = strings.TrimPrefix(s, "("); s == "" {
		return
	}
	if name := genreCode(s); name != "" {
		s = name
	}
	t.fields.add(fieldGenre, s)
}

func genreCode(s string) string {
	switch s {
	case "RX":
		return "Remix"
	case "CR":
		return "Cover"
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return ""
	}
	return genreName(n)
}

// picture notes where the image of an APIC or PIC frame lies.
func (t *id3Tag) picture(f id3Frame) error {
	b, err := t.w.At(f.off, int(min(f.size, 1024)))
	if err != nil {
		return err
	}
	skipped := 0
	if f.lengthInfo {
		skipped = 4
	}
	if f.compressed || len(b) < skipped+6 {
		return nil
	}
	head := b[skipped:]
	encoding, rest := head[0], head[1:]
	var mime string
	if t.version == 2 {
		mime, rest = "image/"+strings.ToLower(string(rest[:3])), rest[3:]
	} else {
		m, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil
		}
		mime, rest = string(m), after
	}
	if len(rest) < 2 {
		return nil
	}
	kind := rest[0]
	end := textEnd(encoding, rest[1:])
	if end < 0 {
		return nil
	}
	start := int64(skipped + len(head) - len(rest) + 1 + end)
	pic := Picture{Off: f.off + start, Len: f.size - start, MIME: mime, kind: kind}
	switch {
	case t.whole.Len > 0:
		pic.coding, pic.outer = codingUnsyncTag, t.whole
	case f.unsync:
		pic.coding = codingUnsync
	}
	t.offerPicture(pic)
	return nil
}

// textEnd returns how long the NUL-terminated text at the start of b is with its end mark, or −1.
func textEnd(encoding byte, b []byte) int {
	if encoding != 1 && encoding != 2 {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return i + 1
		}
		return -1
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i + 2
		}
	}
	return -1
}
