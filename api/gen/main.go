// Command gen writes the Go types of the component schemas in player.yaml and catalog.yaml.
// It supports the part of JSON Schema that these documents use and rejects the rest, so that
// nothing in them is silently ignored.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// targets are the documents and the packages generated from them.
var targets = []struct{ document, pkg string }{
	{"player.yaml", "playerapi"},
	{"catalog.yaml", "catalogapi"},
}

func main() {
	for _, t := range targets {
		if err := write(t.document, t.pkg); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func write(document, pkg string) error {
	src, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	out, err := models(src, document, pkg)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(filepath.Join(pkg, "models.gen.go"), out, 0o644)
}
