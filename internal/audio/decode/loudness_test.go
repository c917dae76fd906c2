package decode

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestLoudnessFromComments(t *testing.T) {
	none := math.NaN()
	gains := map[string]float64{
		"-6.35 dB": -6.35, "-6.35dB": -6.35, "-6.35": -6.35, "+3.2 DB": 3.2, " 0.00 db\x00": 0, "\u22126,35 dB": -6.35, "- 4 dB": -4, "1e1 dB": 10,
		"": none, "dB": none, "loud": none, "NaN dB": none, "+Inf": none, "-100 dB": none, "1e99": none, "0x10": none, "1_0": none, "--3": none, "-6.35 dBFS": none,
	}
	for text, want := range gains {
		l := loudnessFromComments(func(name string) string {
			return map[string]string{"REPLAYGAIN_TRACK_GAIN": text, "REPLAYGAIN_ALBUM_PEAK": "0.988547"}[name]
		})
		switch {
		case math.IsNaN(want) && l.TrackGain != nil:
			t.Errorf("%q is read as %v", text, *l.TrackGain)
		case !math.IsNaN(want) && (l.TrackGain == nil || math.Abs(*l.TrackGain-want) > 1e-9):
			t.Errorf("%q is read as %v, want %v", text, l.TrackGain, want)
		}
		if l.AlbumPeak == nil || *l.AlbumPeak != 0.988547 || l.TrackPeak != nil || l.AlbumGain != nil {
			t.Errorf("%+v", l)
		}
	}
	peaks := map[string]bool{"1.0": true, "0": false, "-0.5": false, "1.3": true, "99": false}
	for text, good := range peaks {
		if l := loudnessFromComments(func(string) string { return text }); (l.TrackPeak != nil) != good {
			t.Errorf("peak %q: %v", text, l.TrackPeak)
		}
	}
	both := map[string]string{"R128_TRACK_GAIN": "-512", "REPLAYGAIN_TRACK_GAIN": "9 dB", "R128_ALBUM_GAIN": "99999", "REPLAYGAIN_ALBUM_GAIN": "1 dB"}
	l := loudnessFromComments(func(name string) string { return both[name] })
	if *l.TrackGain != 3 || *l.AlbumGain != 1 {
		t.Errorf("track %v, album %v; want R128's −2+5, and 1 where R128 is out of range", *l.TrackGain, *l.AlbumGain)
	}
}

func commentBlock(comments ...string) []byte {
	b := append(binary.LittleEndian.AppendUint32(nil, 3), "me!"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(comments)))
	for _, c := range comments {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(c))), c...)
	}
	return b
}

func TestVorbisComments(t *testing.T) {
	block := commentBlock("Title=a=b", "picture="+string(make([]byte, 5000)), "TITLE=second", "nonsense", "Replaygain_Track_Gain=-1 dB")
	get := vorbisComments(block)
	if get("TITLE") != "a=b" || get("REPLAYGAIN_TRACK_GAIN") != "-1 dB" || get("PICTURE") != "" || get("NONSENSE") != "" {
		t.Errorf("title %q, gain %q", get("TITLE"), get("REPLAYGAIN_TRACK_GAIN"))
	}
	for n := range block { // cut anywhere: what came before stays
		if got := vorbisComments(block[:n:n])("TITLE"); got != "" && got != "a=b" && got != "second" {
			t.Errorf("cut at %d: %q", n, got)
		}
	}
	forged := commentBlock("a=b")
	copy(forged[7:], "\xff\xff\xff\xff")
	if got := vorbisComments(forged)("A"); got != "b" {
		t.Errorf("a forged count: %q", got)
	}
}

func TestFLACLoudness(t *testing.T) {
	path := encode(t, melody(44100, 2, 5000), 44100, 2, "flac", "-metadata", "REPLAYGAIN_TRACK_GAIN=-7.03 dB", "-metadata", "replaygain_track_peak=0.5")
	l := mustOpen(t, Open, load(t, path)).Info().Loudness
	if l.TrackGain == nil || *l.TrackGain != -7.03 || l.TrackPeak == nil || *l.TrackPeak != 0.5 || l.AlbumGain != nil {
		t.Errorf("%+v", l)
	}
}
