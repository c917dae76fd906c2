package ogg

import (
	"errors"
	"io"

	"waxwing/internal/media/joined"
)

// maxParts bounds the pages of a FLAC stream: 16 bytes of memory each; a page holds a tenth of a
// second.
const maxParts = 1 << 20

// Content returns what the pages of a FLAC stream contain, without the mapping header in the first:
// an ordinary FLAC file, whose frames have checksums of their own.
func (s *Stream) Content(r *Reader) (*joined.File, error) {
	content := joined.New(r.w, nil, nil)
	at, parts := s.begin, 0
	for parts < maxParts {
		p, err := r.next(at, s.End, r.headerAt)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at = p.end()
		if p.serial != s.Serial {
			continue
		}
		if parts == 0 {
			p.body = min(p.body+flacPrefix, p.end())
		}
		content.Append(p.body, max(min(p.end(), r.w.Size())-p.body, 0))
		parts++
	}
	return content, nil
}
