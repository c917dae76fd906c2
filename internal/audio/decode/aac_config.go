package decode

// Audio object types and the mark of an extension in an AudioSpecificConfig.
const (
	aacObjectLC    = 2
	aacObjectSBR   = 5
	aacObjectPS    = 29
	aacSyncSBR     = 0x2b7
	aacRateWritten = 15
)

// signalsSBR tells whether an AudioSpecificConfig announces spectral band replication, that is
// HE-AAC: as the object itself, or as an extension that older decoders do not see.
func signalsSBR(config []byte) bool {
	r := configReader{data: config}
	object := r.object()
	if object == aacObjectSBR || object == aacObjectPS {
		return true
	}
	if r.read(4) == aacRateWritten {
		r.read(24)
	}
	channels := r.read(4)
	r.read(1) // frame length
	if r.read(1) == 1 {
		r.read(14)
	}
	r.read(1)
	if object != aacObjectLC || channels == 0 {
		return false
	}
	return r.read(11) == aacSyncSBR && r.object() == aacObjectSBR && r.read(1) == 1
}

// configReader reads bits from the highest down, and zeros past the end.
type configReader struct {
	data []byte
	at   int
}

func (r *configReader) read(n int) int {
	v := 0
	for range n {
		v <<= 1
		if r.at < 8*len(r.data) {
			v |= int(r.data[r.at/8]>>(7-r.at%8)) & 1
		}
		r.at++
	}
	return v
}

func (r *configReader) object() int {
	if object := r.read(5); object != 31 {
		return object
	}
	return 32 + r.read(6)
}
