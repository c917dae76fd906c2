package mp3

import "encoding/binary"

const (
	id3v2HeaderSize = 10
	id3v1Size       = 128
	apeFrameSize    = 32 // header and footer alike
)

// tagAt returns the size of the tag that begins at offset, 0 if none does.
func tagAt(in *pager, offset int64) (int64, error) {
	b, err := in.at(offset, apeFrameSize)
	if err != nil {
		return 0, err
	}
	switch {
	case isID3v2(b):
		return id3v2Size(b), nil
	case len(b) >= 3 && string(b[:3]) == "TAG":
		return id3v1Size, nil
	case len(b) == apeFrameSize && string(b[:8]) == "APETAGEX":
		// The size counts the items and the footer, not the header met here.
		return apeFrameSize + int64(binary.LittleEndian.Uint32(b[12:])), nil
	}
	return 0, nil
}

func isID3v2(b []byte) bool {
	return len(b) >= id3v2HeaderSize && string(b[:3]) == "ID3" && b[3] != 0xff && b[4] != 0xff &&
		(b[6]|b[7]|b[8]|b[9])&0x80 == 0
}

// id3v2Size is the size of the whole tag whose header is b, a footer included.
func id3v2Size(b []byte) int64 {
	size := id3v2HeaderSize + int64(synchsafe(b[6:]))
	if b[5]&0x10 != 0 {
		size += id3v2HeaderSize
	}
	return size
}

// synchsafe reads four bytes of seven bits each.
func synchsafe(b []byte) int {
	return int(b[0]&0x7f)<<21 | int(b[1]&0x7f)<<14 | int(b[2]&0x7f)<<7 | int(b[3]&0x7f)
}
