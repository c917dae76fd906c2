package id3

import (
	"bytes"

	"waxwing/internal/media/text"
)

// V1 is the content of an ID3v1 tag. Absent text is "", an absent track number is 0.
type V1 struct {
	Title, Artist, Album, Year, Genre string
	Track                             int
}

// ParseV1 parses a tag of V1Size bytes.
func ParseV1(b []byte) V1 {
	field := func(from, to int) string {
		s, _, _ := bytes.Cut(b[from:to], []byte{0})
		return text.Latin1(bytes.TrimRight(s, " "))
	}
	v := V1{
		Title: field(3, 33), Artist: field(33, 63), Album: field(63, 93), Year: field(93, 97),
		Genre: GenreName(int(b[127])),
	}
	if b[125] == 0 {
		v.Track = int(b[126])
	}
	return v
}
