// Sbom prints a CycloneDX bill of materials of a binary: its modules with versions and checksums,
// and the Go release that built it. It is reproducible.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY [FILE]")
		os.Exit(2)
	}
	to := "/dev/stdout"
	if len(os.Args) == 3 {
		to = os.Args[2]
	}
	if err := write(os.Args[1], to); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary, to string) error {
	var b bytes.Buffer
	if err := list(&b, binary); err != nil {
		return err
	}
	if err := os.WriteFile(to, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return nil
}

type document struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func list(w io.Writer, file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the build information of %s: %w", file, err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	self := component{
		Type: "application", Ref: "waxwing", Name: filepath.Base(file), Version: info.Main.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	for _, s := range info.Settings {
		self.Properties = append(self.Properties, property{"go:" + s.Key, s.Value})
	}
	release := strings.TrimPrefix(info.GoVersion, "go")
	doc := document{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{self},
		Components: []component{{Type: "library", Ref: "std", Name: "std", Version: release,
			PURL: "pkg:golang/std@" + release}},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c, err := componentOf(m)
		if err != nil {
			return err
		}
		doc.Components = append(doc.Components, c)
	}
	all := dependency{Ref: self.Ref}
	for _, c := range doc.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	doc.Dependencies = []dependency{all}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

func componentOf(m *debug.Module) (component, error) {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		raw, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return component{}, fmt.Errorf("decode the checksum of %s: %w", m.Path, err)
		}
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
	}
	return c, nil
}
