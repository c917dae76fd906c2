package flac

// crc8 is the checksum of frame headers: polynomial x⁸+x²+x+1.
func crc8(b []byte) uint8 {
	var c uint8
	for _, x := range b {
		c = crc8Table[c^x]
	}
	return c
}

// crc16 is the checksum of whole frames: polynomial x¹⁶+x¹⁵+x²+1. It processes eight bytes per
// step, which makes it a few percent of the decoding time.
func crc16(b []byte) uint16 {
	var c uint16
	t := &crc16Tables
	for len(b) >= 8 {
		c = t[7][b[0]^uint8(c>>8)] ^ t[6][b[1]^uint8(c)] ^ t[5][b[2]] ^ t[4][b[3]] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
		b = b[8:]
	}
	for _, x := range b {
		c = c<<8 ^ t[0][uint8(c>>8)^x]
	}
	return c
}

var crc8Table = func() (t [256]uint8) {
	for i := range t {
		c := uint8(i)
		for range 8 {
			c = c<<1 ^ (c>>7)*0x07
		}
		t[i] = c
	}
	return t
}()

// crc16Tables[k][x] is the checksum of the byte x followed by k zero bytes.
var crc16Tables = func() (t [8][256]uint16) {
	for i := range t[0] {
		c := uint16(i) << 8
		for range 8 {
			c = c<<1 ^ (c>>15)*0x8005
		}
		t[0][i] = c
	}
	for k := 1; k < 8; k++ {
		for i := range t[k] {
			c := t[k-1][i]
			t[k][i] = c<<8 ^ t[0][c>>8]
		}
	}
	return t
}()
