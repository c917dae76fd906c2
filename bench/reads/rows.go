package reads

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

const firstPage = "/api/songs?page=1&limit=50"

func pagePath(number int) string { return fmt.Sprintf("/api/songs?page=%d&limit=50", number) }

func (m *bench) warmPage(context.Context) ([]table.Row, error) {
	ours, floor, err := m.compareWithFloor(firstPage, always(firstPage))
	if err != nil {
		return nil, err
	}
	return []table.Row{floorRow(Page, "page of 50 over "+m.millions()+", warm", 0.8, ours, floor)}, nil
}

// randomPages requests each page once, so that no reply comes from a cache.
func (m *bench) randomPages(context.Context) ([]table.Row, error) {
	last := m.run.Songs / 50
	if _, err := m.ours.Raw("GET", pagePath(last), ""); err != nil { // builds the page bookmarks of this revision
		return nil, err
	}
	var pages []string
	for number := range last {
		pages = append(pages, pagePath(number+1))
	}
	ours, floor, err := m.compareWithFloor(firstPage, shuffled(pages))
	if err != nil {
		return nil, err
	}
	depth, err := m.depth(last)
	row := floorRow(Random, fmt.Sprintf("random page of %d, uncached", last), 0.2, ours, floor)
	return []table.Row{row, depth}, err
}

// depth compares the last pages with the first ones over one connection.
func (m *bench) depth(last int) (table.Row, error) {
	conn, err := m.ours.Dial()
	if err != nil {
		return table.Row{}, err
	}
	defer conn.Close()
	samples := min(100, last/8)
	var shallow, deep []float64
	for round := range m.run.Rounds {
		var first, end []time.Duration
		for i := range samples {
			n := round*samples + i
			for took, number := range map[*[]time.Duration]int{&first: 2 + n, &end: last - 1 - n} {
				t, err := conn.Time("GET", pagePath(number), "")
				if err != nil {
					return table.Row{}, err
				}
				*took = append(*took, t)
			}
		}
		shallow = append(shallow, gauge.Millis(gauge.Percentile(first, 50)))
		deep = append(deep, gauge.Millis(gauge.Percentile(end, 50)))
	}
	return table.Row{
		Key: Depth, What: "last pages compared with first pages, uncached, p50",
		Ours: table.Figure{
			Values: deep,
			Unit:   " ms",
		}, Beside: []table.Figure{{Of: "first pages", Values: shallow, Unit: " ms"}},
		Goal: table.AtMost(1.5, gauge.Ratios(deep, shallow), " × first pages"),
	}, nil
}

// songIDs returns more ids, from the whole catalog, than the response cache can hold.
func (m *bench) songIDs() (ids []string, err error) {
	const wanted, perPage = 30_000, 200
	pages := max(m.run.Songs/perPage, 1)
	for _, number := range rand.Perm(pages)[:min(wanted/perPage, pages)] {
		var page struct{ Songs []struct{ ID string } }
		path := fmt.Sprintf("/api/songs?page=%d&limit=%d", number+1, perPage)
		if err := m.ours.Request("GET", path, "", &page); err != nil {
			return nil, err
		}
		for _, s := range page.Songs {
			ids = append(ids, s.ID)
		}
	}
	return ids, nil
}

func (m *bench) songPaths() ([]string, error) {
	ids, err := m.songIDs()
	for i := range ids {
		ids[i] = "/api/songs/" + ids[i]
	}
	return ids, err
}

func (m *bench) oneSong(context.Context) ([]table.Row, error) {
	paths, err := m.songPaths()
	if err != nil {
		return nil, err
	}
	ours, floor, err := m.compareWithFloor(paths[0], shuffled(paths))
	if err != nil {
		return nil, err
	}
	return []table.Row{floorRow(Song, "one song by id, uncached", 0.6, ours, floor)}, nil
}

// trending measures the list between plays, and checks that a play is in it at once.
func (m *bench) trending(context.Context) ([]table.Row, error) {
	const path = "/api/songs/trending"
	ours, floor, err := m.compareWithFloor(path, always(path))
	if err != nil {
		return nil, err
	}
	latencies, err := m.afterPlays(path)
	if err != nil {
		return nil, err
	}
	row := floorRow(Trending, "trending", 0.6, ours, floor)
	afterPlay := table.Figure{Of: "first read after a play, including it:", Values: latencies, Unit: " ms"}
	row.Beside = append(row.Beside, afterPlay)
	return []table.Row{row}, nil
}

// afterPlays records plays and measures, in ms, the read right after each.
func (m *bench) afterPlays(path string) (took []float64, err error) {
	conn, err := m.ours.Dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for i := range 4 * m.run.Rounds {
		before, err := m.playCounts(path)
		if err != nil {
			return nil, err
		}
		id := before[i%len(before)].ID
		if err := m.play(id); err != nil {
			return nil, err
		}
		t, err := conn.Time("GET", path, "")
		if err != nil {
			return nil, err
		}
		after, err := m.playCounts(path)
		if err != nil {
			return nil, err
		}
		found := slices.IndexFunc(after, func(s played) bool { return s.ID == id })
		if found < 0 || after[found].Plays != before[i%len(before)].Plays+1 {
			return nil, fmt.Errorf("the list does not contain the play of %s", id)
		}
		took = append(took, gauge.Millis(t))
	}
	return took, nil
}

// play records a play that counts: plays of a song by one listener count once in half an hour, and
// the catalog has the plays of earlier runs, so another time is chosen when one is near.
func (m *bench) play(id string) error {
	for range 20 {
		at := time.Now().Add(-time.Duration(rand.Int64N(int64(80 * 24 * time.Hour)))).UTC().Format(time.RFC3339)
		var reply struct{ Counted bool }
		err := m.ours.Request("POST", "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":%q}`, id, at), &reply)
		if err != nil || reply.Counted {
			return err
		}
	}
	return fmt.Errorf("20 plays of %s were not counted", id)
}

type played struct {
	ID    string `json:"id"`
	Plays int    `json:"play_count"`
}

func (m *bench) playCounts(path string) ([]played, error) {
	var list struct{ Songs []played }
	if err := m.ours.Request("GET", path, "", &list); err != nil {
		return nil, err
	}
	if len(list.Songs) == 0 {
		return nil, errors.New("nothing is trending in the filled catalog")
	}
	return list.Songs, nil
}
