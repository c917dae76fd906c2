package cataloghttp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
)

func TestSongGainIsSentOnRequestOnly(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		gain, peak := -7.25, 0.988
		ids, err := h.store.IngestSongs(t.Context(), []catalog.ScannedSong{{
			File:  catalog.File{FileRef: catalog.FileRef{Root: h.music, Path: "loud.flac"}, Size: 1, ModTime: time.Now()},
			Title: "Loud", Duration: time.Second, Format: "flac",
			Gain: catalog.ReplayGain{TrackGain: &gain, TrackPeak: &peak},
		}})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/songs/" + ids[0]
		plain := h.get(t, path).is(t, 200, nil)
		with := h.get(t, path+"?with=gain").is(t, 200, nil)
		const want = `,"gain":{"track_gain":-7.25,"track_peak":0.988,"album_gain":null,"album_peak":null}}` + "\n"
		if got := with.body; got != strings.TrimSuffix(plain.body, "}\n")+want {
			t.Errorf("with gain: got %s, want the song and %s", got, want)
		}
		for range 3 { // the second is stored in the cache, the third comes from there
			if got := h.get(t, path).is(t, 200, nil); got.body != plain.body {
				t.Errorf("without gain: got %s, want %s", got.body, plain.body)
			}
			if got := h.get(t, path+"?with=gain").is(t, 200, nil); got.body != with.body {
				t.Errorf("with gain: got %s, want %s", got.body, with.body)
			}
		}
		h.get(t, path+"?with=gain", "If-None-Match", with.header.Get("ETag")).is(t, 304, nil)
		h.get(t, path+"?with=gain", "If-None-Match", plain.header.Get("ETag")).is(t, 200, nil)
		h.get(t, path, "If-None-Match", with.header.Get("ETag")).is(t, 200, nil)

		var untagged catalogapi.SongReply
		h.get(t, "/api/songs/"+h.ids[0]+"?with=gain").is(t, 200, &untagged)
		if untagged.Gain == nil || *untagged.Gain != (catalogapi.Gain{}) {
			encoded, _ := json.Marshal(untagged.Gain)
			t.Errorf("gain of a song without tags: got %s, want four nulls", encoded)
		}
		for _, bad := range []string{"with=", "with=words", "with=gain,words", "with=gain&with=gain", "with"} {
			if got := h.get(t, path+"?"+bad); got.status != 400 || !strings.Contains(got.body, "commas: gain, file, me") {
				t.Errorf("?%s: got %d %s, want 400 and the allowed values", bad, got.status, got.body)
			}
		}
		h.get(t, "/api/songs/so_0000000000000000000000?with=gain").is(t, 404, nil)
	})
}
