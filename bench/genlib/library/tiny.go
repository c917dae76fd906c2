package library

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Tiny quickly writes a library of any size for tests of the scanner. Each file is an MP3 of three
// frames with distinct audio and tags.
func Tiny(ctx context.Context, dir string, files int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 1))
	cfg := Config{Formats: []string{"mp3"}}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	written := 0
	for number := 0; written < files && ctx.Err() == nil; number++ {
		album := oneAlbum(r, cfg, number, files-written)
		first := written
		written += len(album)
		g.Go(func() error { return writeTiny(dir, album, first) })
	}
	return g.Wait()
}

func writeTiny(dir string, album []Song, first int) error {
	for i, s := range album {
		// About a hundred artists per folder, as in large collections.
		name := filepath.Join(dir, fmt.Sprintf("%03d", first/5000), filepath.FromSlash(s.Path))
		if i == 0 || s.Track == 1 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, s.tiny(uint64(first+i)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tiny returns an MP3 file of three frames whose audio depends on number.
func (s Song) tiny(number uint64) []byte {
	var tag []byte
	for _, frame := range [][2]string{
		{"TIT2", s.Title}, {"TPE1", strings.Join(s.Artists, "\x00")}, {"TALB", s.Album}, {"TPE2", s.AlbumArtist},
		{"TRCK", strconv.Itoa(s.Track)}, {"TPOS", strconv.Itoa(s.Disc)}, {"TDRC", strconv.Itoa(s.Year)}, {"TCON", s.Genre},
	} {
		text := "\x03" + frame[1]
		tag = append(append(append(tag, frame[0]...), syncSafe(len(text))...), 0, 0)
		tag = append(tag, text...)
	}
	out := append(append([]byte("ID3\x04\x00\x00"), syncSafe(len(tag))...), tag...)
	for range 3 {
		sound := make([]byte, 417) // MPEG-1 Layer III, 128 kbit/s, 44.1 kHz
		copy(sound, "\xff\xfb\x90\x00")
		binary.LittleEndian.PutUint64(sound[40:], (number+1)*0x9e3779b97f4a7c15)
		out = append(out, sound...)
	}
	return out
}

// syncSafe encodes a length as in ID3v2.4, seven bits per byte.
func syncSafe(n int) []byte {
	return []byte{byte(n >> 21 & 127), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
}
