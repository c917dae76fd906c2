package mpeg

import (
	"encoding/binary"
	"fmt"
	"testing"
)

func describe(info Info) string {
	text := ""
	for _, v := range []*float64{info.TrackGain, info.Peak, info.AlbumGain} {
		if v == nil {
			text += "- "
		} else {
			text += fmt.Sprintf("%.3g ", *v)
		}
	}
	return text
}

func TestLAMEGain(t *testing.T) {
	tag := make([]byte, 36)
	copy(tag, "LAME3.100")
	parse := func() string {
		var info Info
		info.parseLAME(tag)
		return describe(info)
	}
	binary.BigEndian.PutUint16(tag[15:], 1<<13|3<<10|1<<9|78) // track, automatic, -7.8 dB
	binary.BigEndian.PutUint16(tag[17:], 2<<13|1<<10|31)      // album, by the artist, +3.1 dB
	if got, want := parse(), "-7.8 - 3.1 "; got != want {
		t.Errorf("gains %q, want %q", got, want)
	}
	copy(tag, "LAME3.93 ") // refers to 83 dB
	if got, want := parse(), "-1.8 - 9.1 "; got != want {
		t.Errorf("gains of an old version %q, want %q", got, want)
	}
	binary.BigEndian.PutUint16(tag[15:], 1<<13|78) // without originator
	binary.BigEndian.PutUint16(tag[17:], 1<<13|1<<10|31)
	if got, want := parse(), "- - - "; got != want {
		t.Errorf("empty fields %q, want %q", got, want)
	}
}
