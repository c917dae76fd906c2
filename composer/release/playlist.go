package release

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// SamplerName is the playlist's name and, with .m3u8, its file.
const SamplerName = "Waxwing sampler"

// samplerOrder is the way from dusk to morning.
var samplerOrder = []string{
	"Lamplight Waltz", "Paper Boats", "Cirrus", "Last Tram Home", "コイン Garden", "Night Bus 23", "Terminus",
	"Snow Globe", "Ebb", "Flood", "Añil", "Blå time", "First Frost", "Wren, Unwinding",
}

// Playlist is the sampler: every track of the collection in an order worth hearing, as
// an extended M3U with paths relative to the music folder. The zero value is empty.
type Playlist struct{ entries map[string]string }

func (p *Playlist) add(name string, t Take) {
	if p.entries == nil {
		p.entries = map[string]string{}
	}
	p.entries[t.Track.Title] = fmt.Sprintf(
		"#EXTINF:%.0f,%s - %s\n%s\n",
		math.Round(t.Seconds()),
		t.Track.Artist,
		t.Track.Title,
		name,
	)
}

// Save writes the playlist into a music folder. It is an error when a track of the
// collection was not added.
func (p *Playlist) Save(folder string) error {
	var list strings.Builder
	list.WriteString("#EXTM3U\n#PLAYLIST:" + SamplerName + "\n")
	for _, title := range samplerOrder {
		entry, ok := p.entries[title]
		if !ok {
			return fmt.Errorf("write playlist: no track named %q", title)
		}
		list.WriteString(entry)
	}
	if err := os.WriteFile(filepath.Join(folder, SamplerName+".m3u8"), []byte(list.String()), 0o644); err != nil {
		return fmt.Errorf("write playlist: %w", err)
	}
	return nil
}
