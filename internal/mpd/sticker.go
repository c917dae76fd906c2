package mpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// Limits of stickers.
const (
	maxStickers    = 100_000
	maxStickerName = 256 // bytes
	maxStickerFile = 16 << 20
)

// stickers stores the values that clients attach to songs, by the id of the song, so that a moved
// file keeps them. The file is replaced with each change.
type stickers struct {
	disk statefile.Disk
	path string

	mu    sync.Mutex
	songs map[string]map[string]string // values by id and name
	count int
	size  int // bytes of names and values
}

// stickerFile is the content of the file.
type stickerFile struct {
	Songs map[string]map[string]string `json:"songs"`
}

func openStickers(disk statefile.Disk, path string) (*stickers, error) {
	s := &stickers{disk: disk, path: path, songs: map[string]map[string]string{}}
	if err := statefile.Sweep(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the stickers: %w", err)
	}
	var content stickerFile
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("the file of stickers %s is damaged; remove it or restore a backup: %w", path, err)
	}
	if content.Songs != nil {
		s.songs = content.Songs
	}
	for _, values := range s.songs {
		for name, value := range values {
			s.count++
			s.size += len(name) + len(value)
		}
	}
	return s, nil
}

func (s *stickers) get(song, name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.songs[song][name]
	return value, ok
}

// all returns a copy of the values of a song.
func (s *stickers) all(song string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := make(map[string]string, len(s.songs[song])+4)
	for name, value := range s.songs[song] {
		values[name] = value
	}
	return values
}

// named returns the values of a name by song.
func (s *stickers) named(name string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := map[string]string{}
	for song, all := range s.songs {
		if value, ok := all[name]; ok {
			values[song] = value
		}
	}
	return values
}

// names returns all names in use.
func (s *stickers) names() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for _, all := range s.songs {
		for name := range all {
			names[name] = true
		}
	}
	return names
}

// set stores a value; change computes it from the present one. If it cannot be saved, nothing
// changes.
func (s *stickers) set(song, name string, change func(old string, known bool) (string, error)) error {
	if name == "" || len(name) > maxStickerName || hasControl(name) {
		return ack(codeArg, "bad sticker name")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.songs[song][name]
	value, err := change(old, known)
	if err != nil {
		return err
	}
	if len(value) > maxValue-maxStickerName || hasControl(value) {
		return ack(codeArg, "bad sticker value")
	}
	if !known && (s.count == maxStickers || s.size+len(name)+len(value) > maxStickerFile/2) {
		return ack(codeSystem, "there are too many stickers; delete some")
	}
	if s.songs[song] == nil {
		s.songs[song] = map[string]string{}
	}
	s.songs[song][name] = value
	if err := s.save(); err != nil {
		if delete(s.songs[song], name); known {
			s.songs[song][name] = old
		}
		return err
	}
	s.size += len(value) - len(old)
	if !known {
		s.count++
		s.size += len(name)
	}
	return nil
}

// remove removes the value of a name, or all of a song. It reports whether there was one.
func (s *stickers) remove(song, name string) (found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.songs[song]
	kept := map[string]string{}
	for n, value := range old {
		if name != "" && n != name {
			kept[n] = value
		}
	}
	if len(kept) == len(old) {
		return false, nil
	}
	if s.songs[song] = kept; len(kept) == 0 {
		delete(s.songs, song)
	}
	if err := s.save(); err != nil {
		s.songs[song] = old
		return false, err
	}
	for n, value := range old {
		if _, ok := kept[n]; !ok {
			s.count--
			s.size -= len(n) + len(value)
		}
	}
	return true, nil
}

func (s *stickers) save() error {
	text, err := json.Marshal(stickerFile{s.songs})
	if err == nil {
		err = statefile.Replace(s.disk, s.path, text, 0o600)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "cannot save the sticker; check the disk of the data folder")
	}
	return nil
}
