// Licences writes docs/licences.md, a table of all modules linked into the binary on any supported
// system, and internal/cli/licences.txt, their full texts, which `waxwing licences` prints. It
// fails on an unknown licence.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licences REPOSITORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func write(repo string) error {
	table, texts, err := pages(repo)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo, "docs/licences.md"), []byte(table), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if err := os.WriteFile(filepath.Join(repo, "internal/cli/licences.txt"), []byte(texts), 0o644); err != nil {
		return fmt.Errorf("write the texts: %w", err)
	}
	return nil
}

// pages returns the table and the texts.
func pages(repo string) (table, texts string, err error) {
	modules, err := linked(repo)
	if err != nil {
		return "", "", err
	}
	var rows, full strings.Builder
	rows.WriteString("# Licences\n\nWaxwing is under the Apache License 2.0 (LICENSE). The binary also contains the " +
		"following; " +
		"`waxwing licences` prints the full texts.\nThis page is written by `make licences`.\n\n| module | version | " +
		"licence |\n|---|---|---|\n")
	full.WriteString("Waxwing is under the Apache License 2.0. It contains the following software.\n")
	var order []string
	owners := map[string][]string{} // text → modules
	for _, m := range modules {
		notices, err := m.notices()
		if err != nil {
			return "", "", err
		}
		var names []string
		for _, n := range notices {
			found, err := recognise(n.text)
			if err != nil {
				return "", "", fmt.Errorf("%s: %s: %w", m.path, n.file, err)
			}
			for _, name := range found {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			if owners[n.text] == nil {
				order = append(order, n.text)
			}
			owners[n.text] = append(owners[n.text], fmt.Sprintf("%s %s (%s)", m.path, m.version, n.file))
		}
		if len(names) == 0 {
			return "", "", fmt.Errorf("%s has no known licence", m.path)
		}
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", m.path, m.version, strings.Join(names, ", "))
	}
	for _, typeface := range [][2]string{
		{"web/fonts/LICENSE.txt", "Inter, the typeface of the web player"},
		{"internal/art/letters/LICENSE.txt", "Noto Sans, letters of generated covers"},
	} {
		text, err := os.ReadFile(filepath.Join(repo, typeface[0]))
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&rows, "| %s | | SIL OFL 1.1 |\n", typeface[1])
		order = append(order, string(text))
		owners[string(text)] = []string{typeface[1]}
	}
	for _, text := range order {
		fmt.Fprintf(&full, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(owners[text], "\n"),
			strings.Repeat("-", 78), strings.TrimSpace(text))
	}
	return rows.String(), full.String(), nil
}
