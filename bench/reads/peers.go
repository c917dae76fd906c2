package reads

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// peers compares pages and songs with other catalog servers. Scanning a million files would take
// them hours, so they have 5,000 songs and ours the large catalog.
func (m *bench) peers(ctx context.Context) ([]table.Row, error) {
	music, err := m.run.Library(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := m.songPaths()
	if err != nil {
		return nil, err
	}
	pages, songs := []side{{m.ours, always(firstPage)}}, []side{{m.ours, shuffled(paths)}}
	var names, absent []string
	for _, starter := range peer.Starters {
		server, err := starter.Start(filepath.Join(m.run.Cache, "peer-"+strings.ToLower(starter.Name)), music)
		if errors.Is(err, peer.ErrAbsent) {
			absent = append(absent, err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		defer server.Stop()
		m.run.Logf("%s scans its music folder", server.Name)
		if _, err := server.Scan(); err != nil {
			return nil, err
		}
		ids, err := server.SongIDs(gauge.LibraryFiles)
		if err != nil {
			return nil, err
		}
		for i := range ids {
			ids[i] = server.Path("getSong", "&id="+ids[i])
		}
		names = append(names, server.Name)
		pages = append(pages, side{server.Target, always(server.SongPage(0))})
		songs = append(songs, side{server.Target, shuffled(ids)})
	}
	page, err := m.compareWithPeers("page of 50, warm, compared with other servers", names, pages)
	if err != nil {
		return nil, err
	}
	song, err := m.compareWithPeers("one song by id, uncached, compared with other servers", names, songs)
	if err != nil {
		return nil, err
	}
	page.Absent, song.Absent = absent, absent
	if len(names) > 0 {
		page.Goal = table.AtLeast(50, gauge.Ratios(page.Ours.Values, best(page.Beside)), " × the better")
		song.Goal = table.AtLeast(1, gauge.Ratios(song.Ours.Values, best(song.Beside)), " × the better")
		page.Note = fmt.Sprintf("ours has %s, the others %d", m.millions(), gauge.LibraryFiles)
		song.Note = page.Note
	}
	return []table.Row{page, song}, nil
}

func (m *bench) compareWithPeers(what string, names []string, sides []side) (table.Row, error) {
	figures, err := m.alternate(sides...)
	if err != nil {
		return table.Row{}, err
	}
	row := table.Row{Key: Peers, What: what, Ours: perSecond("ours", figures[0])}
	for i, name := range names {
		row.Beside = append(row.Beside, perSecond(name, figures[i+1]))
	}
	return row, nil
}

// best returns the best peer per round.
func best(figures []table.Figure) (values []float64) {
	values = append(values, figures[0].Values...)
	for _, f := range figures[1:] {
		for i, v := range f.Values {
			values[i] = max(values[i], v)
		}
	}
	return values
}
