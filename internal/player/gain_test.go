package player

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio/audiotest"
	"waxwing/internal/fault"
)

func TestGainNeverClips(t *testing.T) {
	loud := catalogapi.Gain{TrackGain: ptr(-7.0), TrackPeak: ptr(1.2), AlbumGain: ptr(-3.0), AlbumPeak: ptr(1.3)}
	quiet := catalogapi.Gain{TrackGain: ptr(12.0), TrackPeak: ptr(0.5)}
	tests := []struct {
		name  string
		mode  GainMode
		l     catalogapi.Gain
		album bool
		want  float64
	}{
		{"off", GainOff, loud, true, 1},
		{"track", GainTrack, loud, false, math.Pow(10, -7.0/20)},
		{"album", GainAlbum, loud, true, math.Pow(10, -3.0/20)},
		{"limited by the peak", GainTrack, quiet, false, 2},
		{"no boost without a peak", GainTrack, catalogapi.Gain{TrackGain: ptr(6.0)}, false, 1},
		{"cut without a peak", GainTrack, catalogapi.Gain{TrackGain: ptr(-6.0)}, false, math.Pow(10, -6.0/20)},
		{"album of a file with track gain only", GainAlbum, quiet, true, 2},
		{"untagged", GainAuto, catalogapi.Gain{}, true, 1},
	}
	for _, tt := range tests {
		if got := tt.mode.factor(tt.l, tt.album); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: factor: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAutoGainUsesAlbumGainForAlbumsInOrder(t *testing.T) {
	q := newQueue(nil)
	q.replace([]Track{{ID: "1", AlbumID: "a"}, {ID: "2", AlbumID: "a"}, {ID: "3", AlbumID: "b"}, {ID: "4"}, {ID: "5"}}, 0)
	for i, want := range []bool{true, true, false, false, false} {
		if got := GainAuto.albumGain(&q, i); got != want {
			t.Errorf("track %d: album gain used: got %v, want %v", i, got, want)
		}
	}
	q.shuffle = true
	if GainAuto.albumGain(&q, 0) {
		t.Error("shuffled album: got album gain, want track gain")
	}
}

// gainRig returns a rig at full volume; all tracks of s belong to one album.
func gainRig(t *testing.T, mode GainMode, s *toneLibrary) *rig {
	s.albumID = "al"
	r := newRig(t, s)
	r.stop()
	r.config.Gain = mode
	r.start()
	r.ok(r.SetVolume(r.ctx, ptr(100), nil))
	return r
}

// recordedFactors returns the factor by which each of the first tracks was scaled. It fails if the
// factor changes within a track.
func (r *rig) recordedFactors(tracks, frames int) []float32 {
	r.t.Helper()
	recorded, factors := r.dev.Recorded(), make([]float32, tracks)
	if len(recorded) < tracks*frames {
		r.t.Fatalf("recorded frames: got %d, want at least %d", len(recorded), tracks*frames)
	}
	for i, v := range recorded[:tracks*frames] {
		id, frame := i/frames, i%frames
		if frame == 0 {
			factors[id] = v / audiotest.Sample(id, 0)
		}
		if want := audiotest.Sample(id, int64(frame)) * factors[id]; math.Abs(float64(v-want)) > 1e-7 {
			r.t.Fatalf("track %d, frame %d: got sample %v, want %v", id, frame, v, want)
		}
	}
	return factors
}

func TestCatalogGainScalesCurrentAndNextTrack(t *testing.T) {
	album := func(track float64) catalogapi.Gain {
		return catalogapi.Gain{TrackGain: ptr(track), AlbumGain: ptr(-20.0), AlbumPeak: ptr(0.5)}
	}
	for mode, want := range map[GainMode][]float32{GainTrack: {0.5, 0.25, 1}, GainAlbum: {0.1, 0.1, 1},
		GainAuto: {0.1, 0.1, 1}, GainOff: {1, 1, 1}} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := gainRig(t, mode, &toneLibrary{size: 3, length: 5 * time.Second, gains: map[string]catalogapi.Gain{
					"t0": album(20 * math.Log10(0.5)), "t1": album(20 * math.Log10(0.25)), // t2 has none
				}})
				r.ok(errOf(r.Play(r.ctx)))
				r.advance(20 * time.Second)
				for i, got := range r.recordedFactors(3, 5*rate) {
					if math.Abs(float64(got-want[i])) > 1e-5 {
						t.Errorf("scale factor of track %d: got %v, want %v", i, got, want[i])
					}
				}
				if r.dev.Opens() != 1 {
					t.Errorf("opened streams: got %d, want 1 for gapless tracks", r.dev.Opens())
				}
				if n := r.library.gainRequests(); (mode == GainOff) != (n == 0) {
					t.Errorf("mode %s: got %d gain requests, want none only when gain is off", mode, n)
				}
			})
		})
	}
}

func TestUnreachableGainIsRetriedAndUnknownGainIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := gainRig(t, GainTrack, &toneLibrary{size: 2, length: 5 * time.Second,
			gains: map[string]catalogapi.Gain{"t0": {TrackGain: ptr(20 * math.Log10(0.5))}},
			gainErrs: map[string][]error{"t0": {fault.New(fault.Unavailable, "no catalog")},
				"t1": {fault.New(fault.Invalid, "no gain")}},
		})
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(15 * time.Second)
		factors := r.recordedFactors(2, 5*rate)
		if math.Abs(float64(factors[0]-0.5)) > 1e-5 || factors[1] != 1 {
			t.Errorf("scale factors: got %v, want [0.5 1]", factors)
		}
	})
}
