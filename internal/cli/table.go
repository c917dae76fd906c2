package cli

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// table prints columns that are aligned on a terminal, where Chinese, Japanese and Korean
// characters take two cells and combining marks take none.
type table struct {
	w      io.Writer
	rows   [][]string
	widths []int // of the columns
}

func newTable(w io.Writer, header ...string) *table {
	t := &table{w: w, widths: make([]int, len(header))}
	t.row(header...)
	return t
}

// row adds a row with as many cells as the header.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = plain(c)
		t.widths[i] = max(t.widths[i], uniseg.StringWidth(cells[i]))
	}
	t.rows = append(t.rows, cells)
}

// flush prints the table.
func (t *table) flush() error {
	var b strings.Builder
	for _, cells := range t.rows {
		pending := 0 // spaces, which an empty rest of the row does not need
		for i, c := range cells {
			if c != "" {
				b.WriteString(strings.Repeat(" ", pending))
				b.WriteString(c)
				pending = 0
			}
			pending += t.widths[i] - uniseg.StringWidth(c) + 2
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// plain makes text safe for a terminal: titles are untrusted and may contain escape sequences.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}

// printJSON prints v as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printJSONLine prints an object on one line, for output that goes on.
func printJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
