package media_test

import (
	"math"
	"testing"

	"waxwing/internal/media"
)

func TestGainTextIsParsedAsPeopleWriteIt(t *testing.T) {
	absent := math.NaN()
	for text, want := range map[string]float64{
		"-6.35 dB": -6.35, "-6.35dB": -6.35, "-6.35": -6.35, "+3.2 DB": 3.2, " 0.00 db\x00": 0,
		"\u22126,35 dB": -6.35, "- 4 dB": -4, "1e1 dB": 10, "51 dB": 51, "-51 dB": -51,
		"": absent, "dB": absent, "loud": absent, "NaN dB": absent, "+Inf": absent, "51.01 dB": absent,
		"-100 dB": absent, "1e99": absent, "0x10": absent, "1_0": absent, "--3": absent, "-6.35 dBFS": absent,
	} {
		check(t, text, media.ParseGain(text), want)
	}
	for text, want := range map[string]float64{
		"1.0": 1, "0,988": 0.988, "1.3": 1.3, "16": 16, "0": absent, "-0.5": absent, "16.1": absent, "nan": absent,
	} {
		check(t, text, media.ParsePeak(text), want)
	}
	for text, want := range map[string]float64{
		"-512": 3, "0": 5, "256": 6, "-14336": -51, "-14337": absent, "99999": absent, "1.5": absent, "": absent,
	} {
		check(t, text, media.ParseR128(text), want)
	}
}

func check(t *testing.T, text string, got *float64, want float64) {
	t.Helper()
	switch {
	case math.IsNaN(want) && got != nil:
		t.Errorf("%q: got %v, want none", text, *got)
	case !math.IsNaN(want) && (got == nil || math.Abs(*got-want) > 1e-9):
		t.Errorf("%q: got %v, want %v", text, got, want)
	}
}

func TestR128ReplacesReplayGainInOpusOnly(t *testing.T) {
	text := media.GainText{TrackGain: "9 dB", AlbumGain: "1 dB", TrackPeak: "0.5", TrackR128: "-512"}
	opus := text.Parse(true)
	check(t, "track gain of Opus", opus.Track, 3)
	check(t, "album gain of Opus", opus.Album, math.NaN())
	check(t, "track peak of Opus", opus.TrackPeak, math.NaN())
	other := text.Parse(false)
	check(t, "track gain", other.Track, 9)
	check(t, "track peak", other.TrackPeak, 0.5)
	filled := media.GainText{TrackR128: "-512", AlbumGain: "1 dB"}.Parse(false)
	check(t, "track gain from R128", filled.Track, 3)
	check(t, "album gain", filled.Album, 1)
	only := media.GainText{TrackGain: "9 dB"}.Parse(true)
	check(t, "track gain of Opus without R128 tags", only.Track, 9)
}
