package riff

import "testing"

// AIFF stores the sample rate as an 80-bit floating point number.
func TestExtendedIsRounded(t *testing.T) {
	for rate, text := range map[int]string{
		8000:   "\x40\x0b\xfa\x00\x00\x00\x00\x00\x00\x00",
		44100:  "\x40\x0e\xac\x44\x00\x00\x00\x00\x00\x00",
		192000: "\x40\x10\xbb\x80\x00\x00\x00\x00\x00\x00",
		22255:  "\x40\x0d\xad\xdd\x17\x45\xd1\x74\x5d\x17",
		22254:  "\x40\x0d\xad\xdc\x17\x45\xd1\x74\x5d\x17",
		0:      "\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		1:      "\x3f\xff\x80\x00\x00\x00\x00\x00\x00\x00",
	} {
		if got := extended([]byte(text)); got != rate {
			t.Errorf("%q: got %d, want %d", text, got, rate)
		}
	}
	if got := extended([]byte("\xc0\x0e\xac\x44\x00\x00\x00\x00\x00\x00")); got != 0 {
		t.Errorf("negative rate: got %d, want 0", got)
	}
}
