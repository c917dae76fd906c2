package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// figures holds the measurements of one machine.
type figures struct {
	source string // date, revision and machine of the results
	cores  float64

	hot   float64 // pages of 50 per second from the response cache
	cold  float64 // pages of 50 per second from the database
	first float64 // files per second of a first scan
	again float64 // files per second of a no-change scan

	songBytes float64 // of a song in the database, including its share of artists, albums and search index
	plays     float64 // per second, recorded durably
	pageBytes float64 // of a page of 50, as JSON
	engine    string
}

// scanned is the number of files in the library of the benchmark.
const scanned = 5000

// read extracts the figures from the results by the names of their rows.
func read(results string) (*figures, error) {
	f := &figures{}
	if m := regexp.MustCompile(`(?m)^Written by .*? on (.*?), revision (\S+),`).FindStringSubmatch(results); m != nil {
		f.source = m[1] + ", revision " + m[2]
	}
	m := regexp.MustCompile(`(?m)^Machine: (\d+) × ([^;]*);`).FindStringSubmatch(results)
	if m == nil {
		return nil, fmt.Errorf("the results have no machine line")
	}
	f.cores, _ = strconv.ParseFloat(m[1], 64) // only digits match
	f.source += ", " + m[1] + " × " + m[2]
	var first, again float64
	for row, to := range map[string]*float64{
		"page of 50 over": &f.hot, "random page of": &f.cold,
		"first scan, 5,000 files": &first, "no-change scan, 5,000 files": &again,
	} {
		v, err := ours(results, row)
		if err != nil {
			return nil, err
		}
		*to = v
	}
	f.first, f.again = scanned/first, scanned/again
	return f, nil
}

// ours returns the median in the second cell of the row whose name starts with row.
func ours(results, row string) (float64, error) {
	for line := range strings.Lines(results) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(strings.TrimSpace(cells[1]), row) {
			continue
		}
		number := regexp.MustCompile(`^[0-9][0-9,]*\.?[0-9]*`).FindString(strings.TrimSpace(cells[2]))
		v, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		if err != nil || v <= 0 {
			return 0, fmt.Errorf("the row %q has no figure: %s", row, strings.TrimSpace(cells[2]))
		}
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(cells[2]), number), " ms") {
			v /= 1000
		}
		return v, nil
	}
	return 0, fmt.Errorf("the results have no row %q: run make bench", row)
}
