package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text writes the table for a terminal: one line per row, and the comparisons below it.
func Text(w io.Writer, rows []Row) error {
	const format = "%s %s %s %s %s\n"
	line := func(cells ...string) error {
		for i, width := range []int{56, 34, 16, 34, 7} {
			cells[i] = padded(cells[i], width)
		}
		_, err := fmt.Fprintf(w, format, cells[0], cells[1], cells[2], cells[3], cells[4])
		return err
	}
	if err := line("what", "ours", "goal", "result", "reached"); err != nil {
		return err
	}
	for _, r := range rows {
		if err := line(r.What, r.Ours.String(), r.Goal.text, r.result(), r.Verdict()); err != nil {
			return err
		}
		for _, more := range r.more() {
			if _, err := fmt.Fprintf(w, "    %s\n", more); err != nil {
				return err
			}
		}
	}
	return nil
}

// Markdown writes the table as Markdown.
func Markdown(w io.Writer, rows []Row) error {
	head := "| what | ours | compared with | goal | result | reached |\n|---|---|---|---|---|---|\n"
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for _, r := range rows {
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n",
			r.What, r.Ours, strings.Join(r.more(), "<br>"), r.Goal.text, r.result(), r.Verdict())
		if err != nil {
			return err
		}
	}
	return nil
}

// more returns the comparisons and notes, one per line.
func (r Row) more() (lines []string) {
	for _, f := range r.Beside {
		lines = append(lines, f.Of+" "+f.String())
	}
	lines = append(lines, r.Absent...)
	if r.Note != "" {
		lines = append(lines, r.Note)
	}
	return lines
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
