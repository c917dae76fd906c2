package cli

import (
	"os"
	"strings"
)

// databaseSettings say where the catalog is kept.
type databaseSettings struct {
	DB     string `name:"db" env:"WAXWING_DB" placeholder:"URL" help:"Database: a SQLite file (default, in the data folder) or postgres://…"`
	DBFile string `name:"db-file" env:"WAXWING_DB_FILE" placeholder:"FILE" help:"File with the value of --db: a password in it is in no process list and in no environment."`
}

// database is where the catalog is kept.
func (s databaseSettings) database(p place) (string, error) {
	switch {
	case s.DB != "" && s.DBFile != "":
		return "", usage("--db and --db-file say the same thing: name one of them")
	case s.DB != "":
		return s.DB, nil
	case s.DBFile == "":
		return p.file(catalogFile), nil
	}
	text, err := os.ReadFile(s.DBFile)
	if err != nil {
		return "", usage("--db-file: %v", err)
	}
	db := strings.TrimSpace(string(text))
	if db == "" {
		return "", usage("--db-file: %s is empty", s.DBFile)
	}
	return db, nil
}
