package catalog_test

import (
	"strings"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// TestRedactDSNHidesPasswords tries passwords in every part of a URL, with every special character.
func TestRedactDSNHidesPasswords(t *testing.T) {
	for _, special := range []string{"", "%", "%zz", " ", "/", "#", "?", "@", ":", "[", "]", "\\", "\"", "'", "\n",
		"\x7f", "é", "1/", "1#", "1?", "@1/", "&", ";", "=", "+", "|", "<"} {
		for _, form := range []string{
			"postgres://wax:SECRET@db.example/waxwing", "postgresql://wax:SECRET@db.example:5432/waxwing?sslmode=require",
			"postgres://wax@db.example/waxwing?sslmode=require&password=SECRET",
			"postgres://wax@db.example/waxwing?sslpassword=SECRET", "postgres://wax@db.example/waxwing?PASSWORD=SECRET#x",
			"host=db.example user=wax password=SECRET", "password = 'SECRET' host=x",
			"postgres:/wax:SECRET@db.example/waxwing", "Postgres:wax:SECRET@db.example",
			"mysql://wax:SECRET@db.example/waxwing", "http://wax:SECRET@music.example",
		} {
			for _, secret := range []string{"1357" + special + "2468", special + "2468", "1357" + special} {
				db := strings.Replace(form, "SECRET", secret, 1)
				redacted := catalog.RedactDSN(db)
				if strings.Contains(redacted, "1357") || strings.Contains(redacted, "2468") {
					t.Errorf("RedactDSN(%q): got %q, want no part of the password", db, redacted)
				}
				if !strings.HasPrefix(db, "postgres://") && !strings.HasPrefix(db, "postgresql://") {
					continue
				}
				malformed := strings.Replace(db, "db.example", "127.0.0.1:1", 1) + "%zz"
				if s, err := catalog.Open(t.Context(), catalog.Config{DB: malformed}); err == nil {
					t.Errorf("Open(%q): got no error, want one; close: %v", malformed, s.Close())
				} else if strings.Contains(err.Error(), "1357") || strings.Contains(err.Error(), "2468") {
					t.Errorf("Open(%q): got %v, want no part of the password", malformed, err)
				}
			}
		}
	}
	for db, want := range map[string]string{
		"postgres://wax@db.example/waxwing?sslmode=require": "postgres://wax@db.example/waxwing?sslmode=require",
		"postgres://wax:pw@db.example/waxwing":              "postgres://wax:xxxxx@db.example/waxwing",
		"postgres://wax@h/x?sslmode=require&password=pw":    "postgres://wax@h/x?password=xxxxx&…",
		"postgres://wax:p%ss@db.example/waxwing":            "postgres://…",
		"/srv/cat=a log.db":                                 "/srv/cat=a log.db",
		`C:\music\catalog.db`:                               `C:\music\catalog.db`,
		"":                                                  "",
	} {
		if got := catalog.RedactDSN(db); got != want {
			t.Errorf("RedactDSN(%q): got %q, want %q", db, got, want)
		}
	}
}

// TestMalformedURLErrorsRepeatNoPart checks that errors say what to correct and contain no part of
// the URL.
func TestMalformedURLErrorsRepeatNoPart(t *testing.T) {
	for db, want := range map[string]string{
		"postgres://wax:pa%ss@h/x":            "percent-encode",
		"postgres://wax:pa/ss@h/x":            "percent-encode",
		"postgres://wax:pa#ss@h/x":            "percent-encode",
		"postgres://wax:12/34@h/x":            "percent-encode",
		"postgres://wax:secret@h/x?sslmode=z": "sslmode",
		"host=h user=wax password=secret":     "postgres://USER@HOST/NAME",
		"postgres:/wax:secret@h/x":            "postgres://USER@HOST/NAME",
		"mysql://wax:secret@h/x":              "postgres://USER@HOST/NAME",
	} {
		s, err := catalog.Open(t.Context(), catalog.Config{DB: db})
		if err == nil {
			t.Errorf("Open(%s): got no error, want one; close: %v", db, s.Close())
			continue
		}
		kind, message := fault.Of(err)
		if kind != fault.Invalid || !strings.Contains(message, want) ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ss@") {
			t.Errorf("Open(%s): got %v, want an Invalid fault that contains %q and no password", db, err, want)
		}
	}
}
