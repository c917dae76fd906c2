package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// write prints the results as Markdown.
func (m *report) write(w io.Writer, rounds int, took time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# The databases side by side

Written by `+"`make databases`"+` on %s, revision %s, in %s.
Machine: %s; load after the run %s.

The same catalog in each database, in one run. Measurements of the servers alternate, and so do first and last pages. A
figure is the median of %d rounds with minimum and maximum in brackets; ratios are computed per round. Client and
servers share the machine, and PostgreSQL runs with its default settings.
`, time.Now().UTC().Format("2006-01-02 15:04 MST"), gauge.Revision(), took.Round(time.Second),
		gauge.Machine(), gauge.Load(), rounds)
	m.writeDepth(&b)
	m.writeLibrary(&b)
	m.writeSearches(&b)
	m.writeRates(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

const mostMiddle = 50 // milliseconds

func (m *report) writeDepth(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Depth of a page\n\nPages of 50, no page twice. Goals: the p50 of the last pages is at most 1.5 "+
		"times that of the first ones, and the first request after the start of a server that asks for a page in the "+
		"middle takes at most %d ms.\n\n", mostMiddle)
	heading(b, "list", "rows", "database", "first request in the middle", "first pages, p50", "last pages, p50",
		"last ÷ first", "reached")
	for i := range m.all[0].lists {
		for _, s := range m.all {
			l := s.lists[i]
			if len(l.first) == 0 {
				line(b, l.name, fmt.Sprint(l.rows), s.engine, "–", "too short", "too short", "–", "–")
				continue
			}
			ratios := gauge.Ratios(l.last, l.first)
			line(b, l.name, fmt.Sprint(l.rows), s.engine, figure([]float64{l.middle}, " ms"), figure(l.first, " µs"),
				figure(l.last, " µs"), figure(ratios, " ×"), verdict(gauge.Median(ratios) <= 1.5 && l.middle <= mostMiddle))
		}
	}
}

func (m *report) writeSearches(b *strings.Builder) {
	fmt.Fprint(b, "\n## Search as a person types\n\nEach query once, from titles and artists of random songs, so "+
		"frequent words come often. Goal: p99 of all queries at most 50 ms.\n\n")
	cells := []string{"query", "searches"}
	for _, s := range m.all {
		cells = append(cells, s.engine+", p50", "p99")
	}
	heading(b, cells...)
	for i, kind := range queryKinds {
		cells := []string{kind.name, fmt.Sprint(len(m.all[0].searches[i]))}
		for _, s := range m.all {
			for _, p := range []int{50, 99} {
				cells = append(cells, figure([]float64{gauge.Millis(gauge.Percentile(s.searches[i], p))}, " ms"))
			}
		}
		line(b, cells...)
	}
	cells = []string{"all, by round", fmt.Sprint(len(slices.Concat(m.all[0].searches...)))}
	reached := []string{"reached", ""}
	for _, s := range m.all {
		cells = append(cells, figure(s.p50, " ms"), figure(s.p99, " ms"))
		reached = append(reached, "", verdict(gauge.Median(s.p99) <= 50))
	}
	line(b, cells...)
	line(b, reached...)
}

func (m *report) writeRates(b *strings.Builder) {
	fmt.Fprint(b, "\n## Requests per second\n\n")
	cells := []string{"what"}
	for i, s := range m.all {
		if cells = append(cells, s.engine); i > 0 {
			cells = append(cells, "÷ "+m.all[0].engine)
		}
	}
	heading(b, cells...)
	for _, k := range kinds {
		cells := []string{k.name}
		for i, s := range m.all {
			if cells = append(cells, figure(s.rates[k.name], "/s")); i > 0 {
				cells = append(cells, figure(gauge.Ratios(s.rates[k.name], m.all[0].rates[k.name]), " ×"))
			}
		}
		line(b, cells...)
	}
}

func figure(values []float64, unit string) string {
	return table.Figure{Values: values, Unit: unit}.String()
}

func verdict(reached bool) string {
	if reached {
		return "yes"
	}
	return "no"
}

func heading(b *strings.Builder, cells ...string) {
	line(b, cells...)
	fmt.Fprint(b, strings.Repeat("|---", len(cells)), "|\n")
}

func line(b *strings.Builder, cells ...string) {
	fmt.Fprint(b, "| ", strings.Join(cells, " | "), " |\n")
}
