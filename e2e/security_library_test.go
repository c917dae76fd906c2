package e2e

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/bench/genlib/library"
	"waxwing/internal/proof"
)

// mendOgg makes the checksum of every page right again, so that damage gets past it to the decoder.
func mendOgg(b []byte) {
	for at := 0; at+27 <= len(b) && string(b[at:at+4]) == "OggS"; {
		size := 27 + int(b[at+26])
		if at+size > len(b) {
			return
		}
		for _, lacing := range b[at+27 : at+size] {
			size += int(lacing)
		}
		if at+size > len(b) {
			return
		}
		page := b[at : at+size]
		clear(page[22:26])
		var sum uint32
		for _, c := range page {
			sum ^= uint32(c) << 24
			for range 8 {
				top := sum >> 31
				sum = sum<<1 ^ top*0x04c11db7
			}
		}
		binary.LittleEndian.PutUint32(page[22:], sum)
		at += size
	}
}

// badLibrary writes damaged copies of files of every format.
func badLibrary(t *testing.T, dir string, files int) {
	t.Helper()
	source := t.TempDir()
	if _, err := library.Generate(t.Context(), library.Config{Dir: source, Files: 60, Seed: 9, Length: 2 * time.Second, Sounds: 1}); err != nil {
		t.Fatal(err)
	}
	var originals []string
	err := filepath.Walk(source, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && !strings.HasSuffix(path, ".jpg") {
			originals = append(originals, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for i := range files {
		b, err := os.ReadFile(originals[i%len(originals)])
		if err != nil {
			t.Fatal(err)
		}
		reach := len(b) // the sound as well as the headers, in turn
		if i%2 == 0 {
			reach = min(reach, 2000)
		}
		for range 1 + rnd.IntN(12) {
			b[rnd.IntN(reach)] = byte(rnd.Uint32())
		}
		if rnd.IntN(5) == 0 {
			b = b[:1+rnd.IntN(len(b))]
		}
		mendOgg(b)
		path := filepath.Join(dir, fmt.Sprint(i/50), fmt.Sprintf("%d%s", i, filepath.Ext(originals[i%len(originals)])))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBadFilesArePlayedPast scans and plays a library of damaged files with the real program: each plays or is
// skipped, the process lives, and a good song plays after all of them.
func TestBadFilesArePlayedPast(t *testing.T) {
	proof.Need(t, "ffmpeg")
	files := 100
	if proof.Long() {
		files = 5000
	}
	music := t.TempDir()
	badLibrary(t, music, files)
	tone(t, filepath.Join(music, "good.flac"))
	s := up(t, nil, "--output", "null", "--no-mpris", "--music", music, "--rate-limit", "0")
	s.eventually(5*time.Minute, "the scan to end", func() bool {
		scan := s.get("/api/scan")["scan"].(map[string]any)
		return scan["running"] == false && scan["files_done"].(float64) >= float64(files)
	})
	process := s.cmd.Process.Pid
	songs, played, skipped := 0, 0, 0
	good := ""
	for page := 1; ; page++ {
		list := s.get(fmt.Sprintf("/api/songs?limit=200&page=%d", page))["songs"].([]any)
		for _, song := range list {
			song := song.(map[string]any)
			id := song["id"].(string)
			if song["title"] == "good.flac" {
				good = id
				continue
			}
			songs++
			if r := s.request("POST", "/play", `{"track_id":"`+id+`"}`); r.status >= 500 && r.status != 503 {
				t.Errorf("play %s: %d %s", id, r.status, r.body)
			}
			s.eventually(20*time.Second, "a bad song to play or be passed", func() bool {
				state := s.get("/current-track")
				track, _ := state["track"].(map[string]any)
				position, _ := track["position"].(float64)
				switch {
				case track == nil || track["id"] != id || s.get("/playback-state")["is_playing"] == false:
					skipped++
				case position > 0:
					played++
				default:
					return false
				}
				return true
			})
		}
		if len(list) < 200 {
			break
		}
	}
	s.post("/play", `{"track_id":"`+good+`"}`)
	s.eventually(10*time.Second, "the good song to play", func() bool {
		track, _ := s.get("/current-track")["track"].(map[string]any)
		position, _ := track["position"].(float64)
		return track["id"] == good && position > 300
	})
	if s.cmd.Process.Pid != process || strings.Contains(s.log.String(), "panic:") || strings.Contains(s.log.String(), "fatal error") {
		t.Error("the process died, or would have")
	}
	if songs == 0 || played == 0 {
		t.Errorf("%d songs, %d played", songs, played)
	}
	proof.Report(t, "D2", proof.Tally{Inputs: files, Note: fmt.Sprintf("played through: %d became songs, %d played, %d were passed over, then a good one played", songs, played, skipped)})
}
