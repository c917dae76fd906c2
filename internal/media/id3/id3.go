// Package id3 reads ID3v1 and ID3v2 tags.
package id3

const (
	// HeaderSize is the length of an ID3v2 header.
	HeaderSize = 10
	// V1Size is the length of an ID3v1 tag.
	V1Size = 128
)

// TagSize returns the length of the ID3v2 tag whose header begins b, footer included; 0 if b does
// not begin with one.
func TagSize(b []byte) int64 {
	if len(b) < HeaderSize || string(b[:3]) != "ID3" || b[3] < 2 || b[3] > 4 || (b[6]|b[7]|b[8]|b[9])&0x80 != 0 {
		return 0
	}
	size := HeaderSize + synchsafe(b[6:10])
	if b[3] == 4 && b[5]&0x10 != 0 {
		size += HeaderSize // a footer repeats the header
	}
	return size
}

// FooterTagSize returns the length of the ID3v2.4 tag whose footer is b; 0 if it is none.
func FooterTagSize(b []byte) int64 {
	if len(b) != HeaderSize || string(b[:3]) != "3DI" || b[3] != 4 || (b[6]|b[7]|b[8]|b[9])&0x80 != 0 {
		return 0
	}
	return 2*HeaderSize + synchsafe(b[6:10])
}

// synchsafe decodes four bytes of seven bits each.
func synchsafe(b []byte) int64 {
	return int64(b[0]&0x7f)<<21 | int64(b[1]&0x7f)<<14 | int64(b[2]&0x7f)<<7 | int64(b[3]&0x7f)
}
