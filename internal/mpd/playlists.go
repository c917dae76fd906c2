package mpd

import (
	"context"
	"strconv"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
)

// maxPlaylists limits the playlists of a user that clients see.
const maxPlaylists = 10_000

// storedPlaylist is a playlist of the catalog under a name that is unique here.
type storedPlaylist struct {
	name     string
	id       string
	songs    int
	duration time.Duration
	modified time.Time
}

// playlists are the user's own playlists.
type playlists struct{ catalog *client.Catalog }

func newPlaylists(catalog *client.Catalog) *playlists { return &playlists{catalog} }

// list reads the playlists. A name that another has already gets a number.
func (p *playlists) list(ctx context.Context) ([]storedPlaylist, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	var all []storedPlaylist
	taken := map[string]bool{}
	for page := 1; len(all) < maxPlaylists; page++ {
		got, err := p.catalog.UserPlaylists(ctx, "me", page, pageSize)
		if err != nil {
			return nil, catalogError(err, "")
		}
		for _, one := range got.Playlists {
			name := playlistName(one.Name)
			free := name
			for n := 2; taken[free]; n++ {
				free = name + " (" + strconv.Itoa(n) + ")"
			}
			taken[free] = true
			all = append(all, storedPlaylist{free, one.ID, one.SongCount, time.Duration(one.Duration) * time.Millisecond,
				one.UpdatedAt.Time})
		}
		if len(got.Playlists) < pageSize || page*pageSize >= got.Total {
			break
		}
	}
	return all, nil
}

// playlistName returns a name without the characters that names cannot have in this protocol.
func playlistName(name string) string {
	return strings.ReplaceAll(cleanText(name), "/", "∕")
}

// find returns the playlist of a name.
func (p *playlists) find(ctx context.Context, name string) (storedPlaylist, error) {
	all, err := p.list(ctx)
	if err != nil {
		return storedPlaylist{}, err
	}
	for _, one := range all {
		if one.name == name {
			return one, nil
		}
	}
	return storedPlaylist{}, errNoPlaylist
}

// entries reads the ids of the songs of a playlist, with those that are unavailable.
func (p *playlists) entries(ctx context.Context, id string) ([]catalogapi.PlaylistSong, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	var all []catalogapi.PlaylistSong
	for page := 1; len(all) < maxEntries; page++ {
		got, err := p.catalog.PlaylistSongs(ctx, id, page, pageSize)
		if err != nil {
			return nil, catalogError(err, "No such playlist")
		}
		all = append(all, got.Songs...)
		if len(got.Songs) < pageSize || page*pageSize >= got.Total {
			break
		}
	}
	return all, nil
}

// maxEntries limits the entries of a playlist that are read.
const maxEntries = 100_000

// checkPlaylistName refuses a name that no playlist can have.
func checkPlaylistName(name string) error {
	if name == "" || strings.ContainsAny(name, "/") || hasControl(name) || len([]rune(name)) > 200 {
		return ack(codeArg, "Bad playlist name")
	}
	return nil
}
