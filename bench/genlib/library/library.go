// Package library generates music folders with known content: small files in every format with tags
// in many scripts, albums of several discs, compilations and covers. The same seed generates the
// same library.
package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"go.senan.xyz/taglib"
	"golang.org/x/sync/errgroup"
)

// Config is what to generate.
type Config struct {
	Dir     string
	Files   int
	Seed    uint64
	Length  time.Duration // of each file; 0 means two seconds
	Formats []string      // empty means all
	Sounds  int           // distinct audio streams per format, used in turn; 0 means four
}

// Song is a generated file and its tags.
type Song struct {
	Path        string // relative to the folder, with slashes
	Format      string
	Title       string
	Artists     []string
	Album       string
	AlbumArtist string
	Compilation bool
	Track, Disc int
	Year        int
	Genre       string
	Explicit    *bool
	Recording   string // MusicBrainz id
	Release     string
	TrackGain   float64
	Embedded    bool // has an embedded cover
	FolderCover bool
}

// encoders has ffmpeg's arguments and the file extension of each format.
var encoders = map[string]struct {
	ext  string
	args []string
}{
	"mp3":    {"mp3", []string{"-c:a", "libmp3lame", "-b:a", "128k"}},
	"flac":   {"flac", []string{"-c:a", "flac"}},
	"vorbis": {"ogg", []string{"-c:a", "libvorbis"}},
	"opus":   {"opus", []string{"-c:a", "libopus", "-b:a", "96k"}},
	"aac":    {"m4a", []string{"-c:a", "aac", "-b:a", "96k"}},
	"alac":   {"m4a", []string{"-c:a", "alac"}},
	"wav":    {"wav", []string{"-c:a", "pcm_s16le"}},
	"aiff":   {"aiff", []string{"-c:a", "pcm_s16be", "-f", "aiff"}},
}

// Formats returns the supported formats.
func Formats() []string { return slices.Sorted(maps.Keys(encoders)) }

// Generate writes a library and returns its songs.
func Generate(ctx context.Context, cfg Config) ([]Song, error) {
	if len(cfg.Formats) == 0 {
		cfg.Formats = Formats()
	}
	if cfg.Length <= 0 {
		cfg.Length = 2 * time.Second
	}
	if cfg.Sounds <= 0 {
		cfg.Sounds = 4
	}
	for _, f := range cfg.Formats {
		if _, ok := encoders[f]; !ok {
			return nil, fmt.Errorf("unknown format %q; known formats: %v", f, Formats())
		}
	}
	sounds, err := encode(ctx, cfg)
	if err != nil {
		return nil, err
	}
	songs := compose(cfg)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range songs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return write(cfg.Dir, s, sounds[s.Format][i%cfg.Sounds], i)
		})
	}
	return songs, g.Wait()
}

// encode encodes the untagged files.
func encode(ctx context.Context, cfg Config) (map[string][][]byte, error) {
	dir, err := os.MkdirTemp("", "genlib")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := map[string][][]byte{}
	for _, format := range cfg.Formats {
		e := encoders[format]
		for v := range cfg.Sounds {
			path := filepath.Join(dir, fmt.Sprintf("%s%d.%s", format, v, e.ext))
			source := fmt.Sprintf("anoisesrc=r=44100:a=0.2:d=%.3f:seed=%d", cfg.Length.Seconds(), v+1)
			args := []string{"-v", "error", "-f", "lavfi", "-i", source, "-ac", "2", "-map_metadata", "-1"}
			args = append(append(args, e.args...), path)
			if msg, err := exec.CommandContext(ctx, "ffmpeg", args...).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("encode %s with ffmpeg: %w: %s", format, err, msg)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			out[format] = append(out[format], b)
		}
	}
	return out, nil
}

// write writes one file of the library.
func write(dir string, s Song, sound []byte, number int) error {
	path := filepath.Join(dir, filepath.FromSlash(s.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, sound, 0o644); err != nil {
		return err
	}
	if err := taglib.WriteTags(path, s.tags(), taglib.Clear); err != nil {
		return fmt.Errorf("tag %s: %w", s.Path, err)
	}
	cover := picture(s.Album)
	if s.Embedded {
		if err := taglib.WriteImage(path, cover); err != nil {
			return fmt.Errorf("embed a cover in %s: %w", s.Path, err)
		}
	}
	if s.FolderCover && s.Track == 1 {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "cover.jpg"), cover, 0o644); err != nil {
			return err
		}
	}
	// Each file has a different time, as in a library that grew.
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(number) * time.Minute)
	return os.Chtimes(path, at, at)
}

func (s Song) tags() map[string][]string {
	t := map[string][]string{
		taglib.Title: {s.Title}, taglib.Artist: s.Artists, taglib.Album: {s.Album},
		taglib.TrackNumber: {strconv.Itoa(s.Track)}, taglib.DiscNumber: {strconv.Itoa(s.Disc)},
		taglib.Date: {strconv.Itoa(s.Year)}, taglib.Genre: {s.Genre},
		"REPLAYGAIN_TRACK_GAIN": {fmt.Sprintf("%.2f dB", s.TrackGain)},
	}
	if s.AlbumArtist != "" {
		t[taglib.AlbumArtist] = []string{s.AlbumArtist}
	}
	if s.Compilation {
		t[taglib.Compilation] = []string{"1"}
	}
	if s.Recording != "" {
		t[taglib.MusicBrainzTrackID], t[taglib.MusicBrainzAlbumID] = []string{s.Recording}, []string{s.Release}
	}
	if s.Explicit != nil {
		t["ITUNESADVISORY"] = []string{map[bool]string{true: "1", false: "2"}[*s.Explicit]}
	}
	return t
}

// picture returns a small JPEG whose colours depend on the album.
func picture(album string) []byte {
	r := rand.New(rand.NewPCG(uint64(len(album)), uint64(album[0])<<8|uint64(album[len(album)-1])))
	img := image.NewRGBA(image.Rect(0, 0, 300, 300))
	a, b := uint8(r.IntN(256)), uint8(r.IntN(256))
	for y := range 300 {
		for x := range 300 {
			img.SetRGBA(x, y, color.RGBA{a, uint8(x * 255 / 300), uint8((y + int(b)) % 256), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		panic(errors.Join(errors.New("encode a picture in memory"), err))
	}
	return out.Bytes()
}
