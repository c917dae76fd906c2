package cataloghttp

import "waxwing/internal/art"

// coverPath is the path of a cover without its name.
const coverPath = "/media/covers/"

// links writes the URLs of a response.
type links struct {
	base   string // the prefix of every URL
	covers art.Names
}

func (l links) appendCover(b []byte, hash string) []byte {
	b = append(b, l.base...)
	b = append(b, coverPath...)
	return l.covers.Append(b, hash)
}

func (l links) cover(hash string) string { return string(l.appendCover(nil, hash)) }
