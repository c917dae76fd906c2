package player

import (
	"math"
	"testing"

	"waxwing/internal/audio"
)

func TestGainNeverClips(t *testing.T) {
	loud := audio.Loudness{TrackGain: ptr(-7.0), TrackPeak: ptr(1.2), AlbumGain: ptr(-3.0), AlbumPeak: ptr(1.3)}
	quiet := audio.Loudness{TrackGain: ptr(12.0), TrackPeak: ptr(0.5)}
	tests := []struct {
		name  string
		mode  GainMode
		l     audio.Loudness
		album bool
		want  float64
	}{
		{"off", GainOff, loud, true, 1},
		{"track", GainTrack, loud, false, math.Pow(10, -7.0/20)},
		{"album", GainAlbum, loud, true, math.Pow(10, -3.0/20)},
		{"held back by the peak", GainTrack, quiet, false, 2},
		{"no boost without a peak", GainTrack, audio.Loudness{TrackGain: ptr(6.0)}, false, 1},
		{"cut without a peak", GainTrack, audio.Loudness{TrackGain: ptr(-6.0)}, false, math.Pow(10, -6.0/20)},
		{"album of a file with track gain only", GainAlbum, quiet, true, 2},
		{"untagged", GainAuto, audio.Loudness{}, true, 1},
	}
	for _, tt := range tests {
		if got := tt.mode.factor(tt.l, tt.album); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: factor %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAutoGainFollowsTheAlbumInItsOrder(t *testing.T) {
	q := newQueue(nil)
	q.replace([]Track{{ID: "1", AlbumID: "a"}, {ID: "2", AlbumID: "a"}, {ID: "3", AlbumID: "b"}, {ID: "4"}, {ID: "5"}}, 0)
	for i, want := range []bool{true, true, false, false, false} {
		if got := GainAuto.albumGain(&q, i); got != want {
			t.Errorf("track %d: album gain %v", i, got)
		}
	}
	q.shuffle = true
	if GainAuto.albumGain(&q, 0) {
		t.Error("a shuffled album is played at album gain")
	}
}
