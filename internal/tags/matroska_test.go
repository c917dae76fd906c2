package tags_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/tags"
	"waxwing/internal/testenv"
)

func TestReadsTagsOfMatroska(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	dir := t.TempDir()
	cover, path := filepath.Join(dir, "cover.png"), filepath.Join(dir, "a.mka")
	image := append([]byte("\x89PNG"), bytes.Repeat([]byte("image"), 5000)...)
	if err := os.WriteFile(cover, image, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "libopus",
		"-metadata", "title=The Title", "-metadata", "artist=The Artist", "-metadata", "album=The Album",
		"-metadata", "album_artist=Various", "-metadata", "track=3", "-metadata", "genre=Ambient",
		"-metadata", "date=2013-06-18", "-metadata", "REPLAYGAIN_TRACK_GAIN=-7.30 dB",
		"-attach", cover, "-metadata:s:t", "mimetype=image/png", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, b)
	gain := -7.3
	compare(t, got, tags.Tags{
		Title: "The Title", Artist: "The Artist", Artists: []string{"The Artist"}, Album: "The Album",
		AlbumArtist: "Various", AlbumArtists: []string{"Various"}, Track: 3, Date: "2013-06-18", Year: 2013,
		Genres: []string{"Ambient"}, Gain: tags.Gain{Track: &gain},
	})
	pic, err := got.Picture.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil || !bytes.Equal(pic, image) {
		t.Errorf("got a picture of %d bytes and %v, want %d bytes", len(pic), err, len(image))
	}
}
