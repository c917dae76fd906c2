package cli

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/rules"
	"waxwing/internal/scan"
	"waxwing/internal/scan/playlist"
	"waxwing/internal/statefile"
)

type playlistCmd struct {
	List    playlistList    `cmd:"" help:"List your playlists."`
	Show    playlistShow    `cmd:"" help:"Print the songs of a playlist."`
	Create  playlistCreate  `cmd:"" help:"Create a playlist."`
	Add     playlistAdd     `cmd:"" help:"Add songs to a playlist."`
	Remove  playlistRemove  `cmd:"" help:"Remove a song from a playlist."`
	Reorder playlistReorder `cmd:"" help:"Move a song within a playlist."`
	Delete  playlistDelete  `cmd:"" help:"Delete a playlist."`
	Import  playlistImport  `cmd:"" help:"Import M3U, M3U8, PLS, XSPF or NSP files."`
	Export  playlistExport  `cmd:"" help:"Export a playlist as M3U, PLS, XSPF or NSP."`
}

// asActiveUser opens the catalog on behalf of the active user.
func (c catalogAccess) asActiveUser(ctx context.Context, std IO, f func(*catalog.Store, catalog.Viewer) error) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		u, err := store.ActiveUser(ctx)
		if err != nil {
			return err
		}
		return f(store, u.Viewer())
	})
}

// onePlaylist is embedded by commands on one playlist.
type onePlaylist struct {
	catalogAccess
	Playlist string `arg:"" complete:"playlists" help:"Id or name of the playlist."`
}

func (c onePlaylist) run(ctx context.Context, std IO, f func(*catalog.Store, catalog.Viewer,
	catalog.Playlist) error) error {
	return c.asActiveUser(ctx, std, func(store *catalog.Store, me catalog.Viewer) error {
		found, err := store.PlaylistsByName(ctx, me, c.Playlist)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return fmt.Errorf("there is no playlist “%s”; list yours with: waxwing playlist list", plain(c.Playlist))
		case len(found) > 1:
			for _, p := range found {
				fmt.Fprintf(std.Err, "%s  %s: %d songs\n", p.ID, plain(p.Name), p.SongCount)
			}
			return fmt.Errorf("%d playlists have the name “%s”; name one by its id", len(found), plain(c.Playlist))
		}
		return f(store, me, found[0])
	})
}

type playlistList struct{ catalogAccess }

func (c *playlistList) Run(ctx context.Context, std IO) error {
	return c.asActiveUser(ctx, std, func(store *catalog.Store, me catalog.Viewer) error {
		t := newTable(std.Out, "ID", "NAME", "SONGS", "TIME", "OWNER", "VISIBLE TO")
		for page := int64(1); ; page++ {
			lists, total, err := store.Playlists(ctx, me, catalog.Page{Number: page, Limit: 200})
			if err != nil {
				return err
			}
			for _, p := range lists {
				visibleTo := "owner"
				if p.Public {
					visibleTo = "everybody"
				}
				t.row(p.ID, p.Name, strconv.FormatInt(p.SongCount, 10), clock(float64(p.Duration)), p.Owner.Username, visibleTo)
			}
			if page*200 >= total {
				return t.flush()
			}
		}
	})
}

type playlistShow struct{ onePlaylist }

func (c *playlistShow) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		t := newTable(std.Out, "#", "TITLE", "ARTIST", "TIME", "ID")
		err := eachEntry(ctx, store, me, p, func(e catalog.Entry, f catalog.SongFacts) {
			t.row(strconv.FormatInt(e.Position+1, 10), f.Title, orEmpty(f.Artist), clock(float64(f.Duration)), e.ID)
		})
		if err != nil {
			return err
		}
		return t.flush()
	})
}

// eachEntry walks all pages of a playlist.
func eachEntry(ctx context.Context, store *catalog.Store, me catalog.Viewer, p catalog.Playlist,
	f func(catalog.Entry, catalog.SongFacts)) error {
	for page := int64(1); ; page++ {
		entries, total, err := store.PlaylistSongs(ctx, me, p.ID, catalog.Page{Number: page, Limit: 200})
		if err != nil {
			return err
		}
		for _, e := range entries {
			facts, err := e.Decode()
			if err != nil {
				return err
			}
			f(e, facts)
		}
		if page*200 >= total {
			return nil
		}
	}
}

type playlistCreate struct {
	catalogAccess
	Name   string   `arg:"" help:"Name of the playlist."`
	Songs  []string `arg:"" optional:"" help:"Ids of the first songs."`
	Public bool     `name:"public" help:"Make it visible to everybody."`
	Rule   []string `name:"rule" sep:"none" help:"Make a smart playlist: \"FIELD OP VALUE\", such as \"year gt 1999\"; repeatable."`
	Match  string   `name:"match" enum:"all,any" default:"all" help:"Whether songs match all rules or any (default: all)."`
	Sort   string   `name:"sort" help:"Order of a smart playlist, such as title or rating (default: added)."`
	Limit  int64    `name:"limit" help:"Greatest number of songs of a smart playlist (default: all)."`
}

// rules returns the rules of a smart playlist, or nil.
func (c *playlistCreate) rules() (*rules.Set, error) {
	if len(c.Rule) == 0 {
		if c.Sort != "" || c.Limit != 0 || c.Match != rules.All {
			return nil, usage("--match, --sort and --limit are for smart playlists; add a rule, such as --rule \"year gt 1999\"")
		}
		return nil, nil
	}
	if len(c.Songs) > 0 {
		return nil, usage("give the ids of songs, or rules, not both")
	}
	set := &rules.Set{Match: c.Match, Sort: c.Sort, Limit: c.Limit}
	for _, text := range c.Rule {
		rule, err := rules.ParseRule(text)
		if err != nil {
			_, message := fault.Of(err)
			return nil, usage("rule %q: %s", text, message)
		}
		set.Rules = append(set.Rules, rule)
	}
	if err := set.Check(); err != nil {
		_, message := fault.Of(err)
		return nil, usage("%s", message)
	}
	return set, nil
}

func (c *playlistCreate) Run(ctx context.Context, std IO) error {
	set, err := c.rules()
	if err != nil {
		return err
	}
	return c.asActiveUser(ctx, std, func(store *catalog.Store, me catalog.Viewer) error {
		p, err := store.CreatePlaylist(ctx, me, catalog.NewPlaylist{Name: c.Name, Public: c.Public, SongIDs: c.Songs,
			Rules: set})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(std.Out, p.ID)
		return err
	})
}

type playlistAdd struct {
	onePlaylist
	Songs []string `arg:"" help:"Ids of the songs."`
}

func (c *playlistAdd) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		_, err := store.AddSongs(ctx, me, p.ID, c.Songs, nil)
		return err
	})
}

// entryAt returns entry n, counted from 1.
func entryAt(ctx context.Context, store *catalog.Store, me catalog.Viewer, p catalog.Playlist,
	n int64) (catalog.Entry, error) {
	if err := checkEntry(p, n); err != nil {
		return catalog.Entry{}, err
	}
	entries, _, err := store.PlaylistSongs(ctx, me, p.ID, catalog.Page{Number: n, Limit: 1})
	if err != nil {
		return catalog.Entry{}, err
	}
	return entries[0], nil
}

// checkEntry returns an error if n is not the number of an entry.
func checkEntry(p catalog.Playlist, n int64) error {
	switch {
	case p.SongCount == 0:
		return usage("the playlist is empty")
	case n < 1 || n > p.SongCount:
		return usage("there is no song %d: the playlist has songs 1 to %d", n, p.SongCount)
	}
	return nil
}

type playlistRemove struct {
	onePlaylist
	Number int64 `arg:"" help:"Number of the song, as in waxwing playlist show."`
}

func (c *playlistRemove) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		e, err := entryAt(ctx, store, me, p, c.Number)
		if err != nil {
			return err
		}
		_, err = store.RemoveSong(ctx, me, p.ID, e.Position, e.ID)
		return err
	})
}

type playlistReorder struct {
	onePlaylist
	From int64 `arg:"" help:"Number of the song, as in waxwing playlist show."`
	To   int64 `arg:"" help:"New number of the song."`
}

func (c *playlistReorder) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		e, err := entryAt(ctx, store, me, p, c.From)
		if err != nil {
			return err
		}
		if err := checkEntry(p, c.To); err != nil {
			return err
		}
		_, err = store.MoveSong(ctx, me, p.ID, e.Position, c.To-1, e.ID)
		return err
	})
}

type playlistDelete struct{ onePlaylist }

func (c *playlistDelete) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		return store.DeletePlaylist(ctx, me, p.ID)
	})
}

type playlistImport struct {
	catalogAccess
	Files []string `arg:"" type:"existingfile" help:"Playlist files."`
}

func (c *playlistImport) Run(ctx context.Context, std IO) error {
	return c.asActiveUser(ctx, std, func(store *catalog.Store, me catalog.Viewer) error {
		scanner := scan.New(store, nil, nil, slog.New(slog.DiscardHandler))
		for _, path := range c.Files {
			report, err := importOne(ctx, scanner, me, path)
			if err != nil {
				_, message := explain(err)
				return fmt.Errorf("cannot import %s: %s", plain(path), message)
			}
			fmt.Fprintf(std.Out, "%s  %s: %d songs\n", report.ID, plain(report.Name), report.Songs)
			for _, e := range report.Missing {
				fmt.Fprintf(std.Err, "  not in the catalog: %s\n", plain(e.Location))
			}
		}
		return nil
	})
}

func importOne(ctx context.Context, scanner *scan.Scanner, me catalog.Viewer, path string) (scan.PlaylistReport,
	error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return scan.PlaylistReport{}, fmt.Errorf("resolve the path of the playlist: %w", err)
	}
	f, err := os.Open(abs)
	if err != nil {
		return scan.PlaylistReport{}, fmt.Errorf("open the playlist: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return scanner.ImportPlaylist(ctx, me, abs, f)
}

type playlistExport struct {
	onePlaylist
	To string `arg:"" optional:"" help:"File to write; its extension selects the format (default: M3U on standard output)."`
}

func (c *playlistExport) Run(ctx context.Context, std IO) error {
	if strings.EqualFold(filepath.Ext(c.To), ".nsp") {
		return c.exportRules(ctx, std)
	}
	kind := playlist.M3U
	if c.To != "" {
		var err error
		if kind, err = playlist.KindOf(c.To); err != nil {
			return usage("%s: %v, or nsp for the rules of a smart playlist", c.To, err)
		}
	}
	return c.run(ctx, std, func(store *catalog.Store, me catalog.Viewer, p catalog.Playlist) error {
		list := playlist.List{Name: p.Name}
		err := eachEntry(ctx, store, me, p, func(e catalog.Entry, f catalog.SongFacts) {
			ref, _, err := store.SongFile(ctx, e.ID)
			if err != nil {
				return // a song without a file cannot be exported
			}
			list.Entries = append(list.Entries, playlist.Entry{
				Location: filepath.Join(ref.Root, filepath.FromSlash(ref.Path)), Artist: orEmpty(f.Artist), Title: f.Title,
				Duration: time.Duration(f.Duration) * time.Millisecond,
			})
		})
		if err != nil {
			return err
		}
		if c.To == "" {
			return playlist.Write(std.Out, kind, list)
		}
		var text bytes.Buffer
		if err := playlist.Write(&text, kind, list); err != nil {
			return err
		}
		return statefile.Write(c.To, text.Bytes(), 0o644)
	})
}

// exportRules writes the rules of a smart playlist to a file.
func (c *playlistExport) exportRules(ctx context.Context, std IO) error {
	return c.run(ctx, std, func(_ *catalog.Store, _ catalog.Viewer, p catalog.Playlist) error {
		if p.Rules == nil {
			return usage("%s is not a smart playlist: export it as m3u, pls or xspf", p.Name)
		}
		var text bytes.Buffer
		err := rules.WriteNSP(&text, rules.File{Name: p.Name, Comment: p.Description, Rules: *p.Rules})
		if err != nil {
			return err
		}
		return statefile.Write(c.To, text.Bytes(), 0o644)
	})
}
