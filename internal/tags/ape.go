package tags

import (
	"bytes"
	"strings"

	"waxwing/internal/media/ape"
)

func (p *parser) apeTag(tag ape.Tag) error {
	p.nextTag()
	return tag.Each(p.Reader, func(item ape.Item) error {
		k := nameField(item.Key)
		switch {
		case item.Binary && strings.HasPrefix(strings.ToLower(item.Key), "cover art"):
			return p.apePicture(item)
		case item.Binary || k == fieldNone || !k.fits(item.Size):
			return nil
		}
		b, err := p.At(item.Off, int(item.Size))
		if err != nil {
			return err
		}
		for v := range strings.SplitSeq(string(b), "\x00") {
			p.fields.add(k, v)
		}
		return nil
	})
}

// apePicture reads an item with the name of an image file, a NUL and the image.
func (p *parser) apePicture(item ape.Item) error {
	head, err := p.Peek(item.Off, 512)
	if err != nil {
		return err
	}
	name := int64(bytes.IndexByte(head, 0)) + 1
	if name == 0 || name > item.Size {
		return nil
	}
	pic := Picture{Off: item.Off + name, Len: item.Size - name}
	if strings.EqualFold(item.Key, "cover art (front)") {
		pic.kind = 3
	}
	p.offerPicture(pic)
	return nil
}
