package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needles returns the encodings of a secret: plain, percent-encoded, hexadecimal, and base64 at
// its three alignments. Only the middle part is searched for, so that a truncated copy is found,
// too.
func needles(secret string) map[string][]byte {
	middle := secret
	if len(secret) > 28 {
		middle = secret[4:24]
	}
	percent := ""
	for _, b := range []byte(middle) {
		percent += fmt.Sprintf("%%%02x", b)
	}
	forms := map[string][]byte{
		"as it is": []byte(middle), "percent-encoded": []byte(percent), "PERCENT-ENCODED": []byte(strings.ToUpper(percent)),
		"hex": []byte(
			hex.EncodeToString([]byte(middle)),
		), "HEX": []byte(strings.ToUpper(hex.EncodeToString([]byte(middle)))),
	}
	for shift := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding,
			"base64 for URLs": base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + middle))
			// The first and last digits also depend on the bytes next to the secret.
			forms[fmt.Sprintf("%s, shifted by %d", name, shift)] = []byte(text[4 : len(text)-2])
		}
	}
	return forms
}

// hunt searches texts for secrets in every encoding.
type hunt struct {
	t        *testing.T
	secrets  map[string]string // by what they are
	searched int               // secrets × forms × texts
	found    int
}

func (h *hunt) in(where string, text []byte) {
	h.t.Helper()
	for what, secret := range h.secrets {
		for form, needle := range needles(secret) {
			h.searched++
			if at := bytes.Index(text, needle); at >= 0 {
				h.found++
				h.t.Errorf("%s holds the %s, %s, at byte %d: …%q…", where, what, form, at,
					text[max(0, at-60):min(len(text), at+60)])
			}
		}
	}
}

// inFolder searches every file of a folder except those that store a secret, which only their
// owner may read.
func (h *hunt) inFolder(dir string, keep ...string) {
	h.t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		for _, name := range keep {
			if d.Name() == name {
				info, err := d.Info()
				if err == nil && info.Mode().Perm() != 0o600 {
					h.t.Errorf("%s can be read by others: %v", name, info.Mode())
				}
				return err
			}
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil // the server may be writing it
		}
		files++
		h.in(path, text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if files == 0 {
		h.t.Errorf("%s is empty", dir)
	}
}

// TestLeakSearchFindsEveryEncoding: the search for secrets would find them.
func TestLeakSearchFindsEveryEncoding(t *testing.T) {
	const secret = "wxt_0123456789ABCDEFGHIJKLMNOPQRST0jEII3"
	basic := func(prefix string) string {
		return base64.StdEncoding.EncodeToString([]byte(prefix + secret + ":x"))
	}
	for _, text := range []string{
		secret, "x=" + secret[:30] + "…", basic(""), basic("a"), basic("ab"), basic("user:"),
		hex.EncodeToString([]byte(secret)),
		fmt.Sprintf("%% x %%%s", strings.Join(strings.Split(hex.EncodeToString([]byte(secret)), ""), "")),
	} {
		found := false
		for _, needle := range needles(secret) {
			found = found || bytes.Contains([]byte(text), needle)
		}
		if !found {
			t.Errorf("%q is not found", text)
		}
	}
}
