package release_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/composer/release"
	"waxwing/composer/studio"
)

// TestLosslessSideJoinsExactly renders the side that is released as two lossless tracks in one
// piece and compares the committed files, decoded and joined, with it sample by sample. It needs
// ffmpeg (make deps installs it).
func TestLosslessSideJoinsExactly(t *testing.T) {
	found := false
	for _, album := range release.Collection() {
		number := 0
		for _, side := range album.Sides {
			first := number + 1
			number += len(side.Tracks)
			if !side.Format.Lossless || len(side.Tracks) < 2 {
				continue
			}
			found = true
			var joined, whole []int16
			for i, take := range side.Record() {
				whole = append(whole, take.Samples()...)
				name := album.File(first+i, take.Track.Title, take.Format)
				joined = append(joined, decode(t, filepath.Join("../../internal/demo/music", name))...)
			}
			if len(joined) != len(whole) {
				t.Fatalf("the files hold %d samples, the recording %d", len(joined), len(whole))
			}
			for i := range whole {
				if joined[i] != whole[i] {
					t.Fatalf("sample %d of %d is %d instead of %d", i, len(whole), joined[i], whole[i])
				}
			}
		}
	}
	if !found {
		t.Error("the collection has no lossless pair")
	}
}

func decode(t *testing.T, file string) []int16 {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-i", file, "-f", "s16le", "-").
		Output()
	if err != nil {
		t.Fatalf("decode %s: %v", file, err)
	}
	samples := make([]int16, len(raw)/2)
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, samples); err != nil {
		t.Fatal(err)
	}
	return samples
}

// TestTheBorderIsInMidNote makes sure that the pairs are worth their name: a melody
// note and a chord sound over each cut.
func TestTheBorderIsInMidNote(t *testing.T) {
	pairs := 0
	for _, album := range release.Collection() {
		for _, side := range album.Sides {
			for _, track := range side.Tracks {
				if track.Until == 0 {
					continue
				}
				pairs++
				over := map[studio.Role]int{}
				for _, part := range side.Session().Parts {
					for _, n := range part.Line {
						if n.At < track.Until-0.25 && n.At+n.Dur > track.Until+0.25 {
							over[part.Role]++
						}
					}
				}
				if over[studio.Lead] < 1 || over[studio.Harmony] < 3 {
					t.Errorf("%s ends with %v notes sounding", track.Title, over)
				}
			}
		}
	}
	if pairs < 2 {
		t.Errorf("only %d pairs", pairs)
	}
}
