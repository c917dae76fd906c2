package tags

import (
	"bytes"
	"encoding/binary"
	"strings"
)

const (
	apeFooterLen = 32
	maxAPEItems  = 512
)

// apeTag reads an APEv2 tag whose footer ends at end, and returns where the tag starts; end itself when there is none.
func (p *parser) apeTag(end int64) (int64, error) {
	if end < apeFooterLen {
		return end, nil
	}
	b, err := p.At(end-apeFooterLen, apeFooterLen)
	if err != nil {
		return 0, err
	}
	if !has(b, 0, "APETAGEX") {
		return end, nil
	}
	size, count, flags := int64(binary.LittleEndian.Uint32(b[12:])), binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	start := end - size
	if size < apeFooterLen || start < 0 {
		return end, nil
	}
	p.fields.nextTag()
	if err := p.apeItems(start, end-apeFooterLen, int(min(count, maxAPEItems))); err != nil {
		return 0, err
	}
	if flags&(1<<31) != 0 && start >= apeFooterLen {
		start -= apeFooterLen // it has a header too
	}
	return start, nil
}

func (p *parser) apeItems(pos, end int64, count int) error {
	for range count {
		b, err := p.Peek(pos, 8+256)
		if err != nil || len(b) < 11 || pos >= end {
			return err
		}
		size, flags := int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
		nul := bytes.IndexByte(b[8:], 0)
		if nul < 0 {
			return nil
		}
		name := string(b[8 : 8+nul])
		value := pos + 8 + int64(nul) + 1
		if size > end-value {
			return nil
		}
		pos = value + size
		switch kind := flags >> 1 & 3; {
		case kind == 0 && size <= maxID3Text && nameField(name) != fieldNone:
			text, err := p.At(value, int(size))
			if err != nil {
				return err
			}
			for v := range strings.SplitSeq(string(text), "\x00") {
				p.fields.addNamed(name, v)
			}
		case kind == 1 && strings.HasPrefix(strings.ToLower(name), "cover art"):
			head, err := p.Peek(value, 512)
			if err != nil {
				return err
			}
			if nul := bytes.IndexByte(head, 0); nul >= 0 && int64(nul) < size {
				pic := Picture{Off: value + int64(nul) + 1, Len: size - int64(nul) - 1}
				if strings.EqualFold(name, "cover art (front)") {
					pic.kind = 3
				}
				p.offerPicture(pic)
			}
		}
	}
	return nil
}
