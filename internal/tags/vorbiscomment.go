package tags

import (
	"bytes"
	"encoding/base64"
	"strings"

	"waxwing/internal/media/vorbiscomment"
)

// vorbisComments adds the comments in a block, behind its first skip bytes. Pictures are read
// later; where has their coding and the offset that their own is relative to.
func (p *parser) vorbisComments(block vorbiscomment.Block, skip int64, where Picture) error {
	return vorbiscomment.Each(block, skip, func(c vorbiscomment.Comment) {
		if !strings.EqualFold(string(c.Name), "METADATA_BLOCK_PICTURE") {
			k := nameField(string(c.Name))
			if k == fieldLyrics && int64(len(c.Value)) < c.Size && k.fits(c.Size) {
				c.Value, _ = block.At(c.Off, int(c.Size)) // none if the file is damaged there
			}
			p.fields.add(k, string(c.Value))
			return
		}
		head, err := decodeBase64Head(c.Value)
		if err != nil {
			return
		}
		if _, _, pic, ok := flacPicture(head, c.Size); ok {
			pic.Off, pic.Len, pic.coding = where.Off+c.Off, c.Size, where.coding
			p.offerPicture(pic)
		}
	})
}

// decodeBase64Head decodes the start of a base64 text that may be cut anywhere.
func decodeBase64Head(b []byte) ([]byte, error) {
	b = b[:len(b)&^3]
	return base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(b, "=")))
}
