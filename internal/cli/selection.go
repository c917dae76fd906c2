package cli

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"waxwing/api/playerapi"
	"waxwing/client"
)

// selection names what a command is about: by words, or by ids.
type selection struct {
	Words    []string `arg:"" optional:"" help:"Name of a song, an album, an artist or a playlist, or ids (see: waxwing search), or a URL of web radio or a file."`
	Album    string   `name:"album" xor:"what" placeholder:"NAME" help:"An album, by name or id."`
	Artist   string   `name:"artist" xor:"what" placeholder:"NAME" help:"An artist, by name, username or id."`
	Playlist string   `name:"playlist" complete:"playlists" xor:"what" placeholder:"NAME" help:"A playlist, by name or id."`
}

// selected is what a selection names: songs, or one of the others.
type selected struct {
	songs                   []string // ids
	album, artist, playlist string   // id
	label                   string   // what was found by name; "" for ids
}

func (s selected) replacement(play bool) playerapi.ReplaceRequest {
	return playerapi.ReplaceRequest{TrackIDs: s.songs, AlbumID: nilIfZero(s.album), ArtistID: nilIfZero(s.artist),
		PlaylistID: nilIfZero(s.playlist), Play: nilIfZero(play)}
}

// ids returns the ids of all that is selected.
func (s selected) ids() []string {
	if len(s.songs) > 0 {
		return s.songs
	}
	return []string{s.album + s.artist + s.playlist}
}

// idPattern matches the ids of the catalog, and what begins like one.
var idPattern = regexp.MustCompile(`^(so|al|ar|pl)_\S+$`)

// kindOfID returns the kind of thing that an id names, or "" if the word is none.
func kindOfID(word string) string {
	if m := idPattern.FindStringSubmatch(word); m != nil {
		return map[string]string{"so": songKind, "al": albumKind, "ar": artistKind, "pl": playlistKind}[m[1]]
	}
	return ""
}

// empty reports whether nothing is named.
func (s selection) empty() bool { return len(s.Words) == 0 && s.Album+s.Artist+s.Playlist == "" }

// isURL reports whether the selection is one address of the web.
func (s selection) isURL() bool {
	return len(s.Words) == 1 && (strings.HasPrefix(s.Words[0], "http://") || strings.HasPrefix(s.Words[0], "https://"))
}

// narrowed returns the kind that a flag asks for, and its value.
func (s selection) narrowed() (kind, value string) {
	switch {
	case s.Album != "":
		return albumKind, s.Album
	case s.Artist != "":
		return artistKind, s.Artist
	case s.Playlist != "":
		return playlistKind, s.Playlist
	}
	return "", ""
}

// name returns the words of the selection. Those after a flag belong to its value, so that names
// need no quotes.
func (s selection) name() string {
	_, value := s.narrowed()
	return strings.Join(strings.Fields(value+" "+strings.Join(s.Words, " ")), " ")
}

func (s selection) check() error {
	_, value := s.narrowed()
	switch {
	case s.name() == "":
		return usage("give a name, the ids of songs, or one of --album, --artist, --playlist")
	case kindOfID(value) != "" && len(s.Words) > 0:
		return usage("give the ids of songs, or one of --album, --artist, --playlist")
	}
	return nil
}

// resolve returns what the selection names in the player's catalog. An unclear name is a question
// or, if nobody can answer, an error; command is for its hint.
func (s selection) resolve(ctx context.Context, std IO, p *client.Player, command string) (selected, error) {
	kind, value := s.narrowed()
	if kind == "" && !slices.ContainsFunc(s.Words, func(w string) bool { return kindOfID(w) != songKind }) {
		return selected{songs: s.Words}, nil
	}
	if id := s.name(); kindOfID(id) != "" {
		if kind != "" && kindOfID(id) != kind {
			return selected{}, usage("“%s” is the id of another kind: %s", plain(id), kindOfID(id))
		}
		return match{kind: kindOfID(id), id: id}.selected(), nil
	}
	if kind == artistKind && len(s.Words) == 0 { // may be a username, which no search finds for certain
		a, err := p.Catalog().Artist(ctx, value)
		if err == nil {
			return match{kind: kind, id: a.ID, name: a.Name}.selected(), nil
		}
		if client.StatusOf(err) != http.StatusNotFound {
			return selected{}, err
		}
	}
	found, err := search(ctx, p, s.name(), kind)
	if err != nil {
		return selected{}, err
	}
	if len(found) == 0 {
		return s.byForeignID(ctx, p, kind)
	}
	best := bestMatches(s.name(), found)
	if len(best) == 1 {
		return best[0].selected(), nil
	}
	m, err := choose(ctx, std, s.name(), best, command)
	return m.selected(), err
}

// byForeignID looks words up that no name contains: another catalog may have ids of any form.
func (s selection) byForeignID(ctx context.Context, p *client.Player, kind string) (selected, error) {
	what := "nothing"
	if kind != "" {
		what = "no " + kind
	}
	none := fmt.Errorf("%s in the catalog matches “%s”; look for it with: waxwing search %[2]s", what, plain(s.name()))
	c := p.Catalog()
	var err error
	switch kind {
	case "":
		for _, id := range s.Words {
			if _, err = c.Song(ctx, id); err != nil {
				break
			}
		}
	case albumKind:
		_, err = c.Album(ctx, s.name())
	case artistKind:
		_, err = c.Artist(ctx, s.name())
	case playlistKind:
		_, err = c.Playlist(ctx, s.name())
	}
	switch status := client.StatusOf(err); {
	case status == http.StatusNotFound || status == http.StatusBadRequest:
		return selected{}, none
	case err != nil:
		return selected{}, err
	case kind == "":
		return selected{songs: s.Words}, nil
	}
	return match{kind: kind, id: s.name()}.selected(), nil
}
