// Catalog measures the catalog API of the built binary over a filled data folder, beside a floor in one run: how flat
// lists are in depth, single songs, trending, search as one types, and the memory of the whole program.
//
//	go run ./bench/fill --data-dir D --songs 1000000
//	go run ./bench/catalog --data-dir D
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"waxwing/bench/gauge"
)

func main() {
	gauge.MaybeBeTheFloor()
	data := flag.String("data-dir", "", "data folder that bench/fill has filled")
	flag.Parse()
	if err := run(*data); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}

func run(data string) (err error) {
	if data == "" {
		return errors.New("name a data folder with --data-dir")
	}
	dir, err := os.MkdirTemp("", "waxwing-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := gauge.Build(dir)
	if err != nil {
		return err
	}
	music := dir + "/no-music" // nothing to scan: only what was filled in counts
	if err := os.Mkdir(music, 0o700); err != nil {
		return err
	}
	key, err := exec.Command(program, "key", "create", "--name", "bench", "--data-dir", data).Output()
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	process, _, err := gauge.Start(program, data, "up", "--rate-limit", "0", "--scan-every", "0", "--catalog-addr", "127.0.0.1:17845", "--music", music)
	if err != nil {
		return err
	}
	defer process.Stop()
	catalog := gauge.Target{Base: "http://127.0.0.1:17845", Header: "X-Api-Key", Credential: strings.TrimSpace(string(key))}
	return measure(process, catalog)
}

type page struct {
	Total int
	Songs []struct{ ID, Title string }
}

func measure(process *gauge.Process, catalog gauge.Target) error {
	body, err := catalog.Do("GET", "/api/songs")
	if err != nil {
		return err
	}
	var first page
	if err := json.Unmarshal(body, &first); err != nil {
		return err
	}
	floor, stop, err := gauge.StartFloor(catalog, body)
	if err != nil {
		return err
	}
	defer stop()
	last := max(first.Total/50, 1)
	fmt.Printf("%d songs, %d pages\n", first.Total, last)

	// Pages are drawn without putting back, so that no answer comes from a cache.
	const draws = 200
	band := func(from, to int) (paths []string) {
		for _, p := range rand.Perm(max(to-from, 1))[:min(draws, max(to-from, 1))] {
			paths = append(paths, fmt.Sprintf("/api/songs?page=%d", from+p))
		}
		return paths
	}
	if _, err := catalog.Do("GET", fmt.Sprintf("/api/songs?page=%d", last)); err != nil { // draws the bookmarks of this revision
		return err
	}
	var base, cached, shallow, middle, deep, one, trending, search []time.Duration
	err = errors.Join(
		floor.Time(&base, "GET", gauge.Repeat("/", 2000)...),
		catalog.Time(&cached, "GET", gauge.Repeat("/api/songs", 2000)...),
		catalog.Time(&shallow, "GET", band(2, 2+draws)...),
		catalog.Time(&middle, "GET", band(last/2, last/2+10*draws)...),
		catalog.Time(&deep, "GET", band(max(last-10*draws, 1), last)...),
		catalog.Time(&trending, "GET", gauge.Repeat("/api/songs/trending", 500)...),
	)
	if err != nil {
		return err
	}
	for range 40 {
		body, err := catalog.Do("GET", fmt.Sprintf("/api/songs?page=%d", 1+rand.IntN(last)))
		if err != nil {
			return err
		}
		var some page
		if err := json.Unmarshal(body, &some); err != nil {
			return err
		}
		for _, s := range some.Songs[:min(10, len(some.Songs))] {
			if err := catalog.Time(&one, "GET", "/api/songs/"+s.ID); err != nil {
				return err
			}
		}
		if err := catalog.Time(&search, "GET", typed(some.Songs[0].Title)...); err != nil {
			return err
		}
	}
	memory, err := process.Memory()
	if err != nil {
		return err
	}
	gauge.Head("catalog API, one client, keep-alive", "× floor")
	gauge.Row("floor: bare handler, key check, a page's bytes", base, base)
	gauge.Row("the same page again", cached, base)
	gauge.Row("pages 2 to 201, each once", shallow, base)
	gauge.Row("pages in the middle, each once", middle, base)
	gauge.Row("the last pages, each once", deep, base)
	gauge.Row("one song", one, base)
	gauge.Row("trending", trending, base)
	gauge.Row("search as one types, a typing error in one of four", search, base)
	fmt.Printf("the last pages take %.2f × the first ones; the program holds %.0f MiB\n",
		float64(gauge.Percentile(deep, 50))/float64(gauge.Percentile(shallow, 50)), memory)
	return nil
}

// typed is a title as it is typed: its beginnings, and once with two letters changed places.
func typed(title string) (paths []string) {
	letters := []rune(title)
	for _, n := range []int{2, 4, len(letters)} {
		if n <= len(letters) {
			paths = append(paths, "/api/search?q="+url.QueryEscape(string(letters[:n])))
		}
	}
	if len(letters) > 5 {
		letters[2], letters[3] = letters[3], letters[2]
		paths = append(paths, "/api/search?q="+url.QueryEscape(string(letters)))
	}
	return paths
}
