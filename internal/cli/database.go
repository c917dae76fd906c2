package cli

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"waxwing/internal/app"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// databaseSettings select the database of the catalog.
type databaseSettings struct {
	DB     string `name:"db" env:"WAXWING_DB" placeholder:"URL" help:"SQLite file or postgres://… URL (default: catalog.db in the data folder)."`
	DBFile string `name:"db-file" env:"WAXWING_DB_FILE" placeholder:"FILE" help:"Read the value of --db from this file, which keeps a password out of the process list and the environment."`
}

// database returns the file or URL of the database.
func (s databaseSettings) database(dir app.DataDir) (string, error) {
	switch {
	case s.DB != "" && s.DBFile != "":
		return "", settingError("db-file", "--db and --db-file exclude each other; use one of them")
	case s.DB != "":
		return validDSN("db", s.DB)
	case s.DBFile == "":
		return dir.File(app.CatalogFile), nil
	}
	text, err := os.ReadFile(s.DBFile)
	if err != nil {
		return "", settingError("db-file", "--db-file: %v", err)
	}
	db := strings.TrimSpace(string(text))
	if db == "" {
		return "", settingError("db-file", "--db-file: %s is empty; write one line, for example "+
			"postgres://waxwing:PASSWORD@db.example.net/waxwing", s.DBFile)
	}
	return validDSN("db-file", db)
}

// validDSN returns db, or an error about the setting that it comes from.
func validDSN(setting, db string) (string, error) {
	if err := catalog.ValidateDSN(db); err != nil {
		_, sentence := fault.Of(err)
		return "", settingError(setting, "--%s: %s", setting, sentence)
	}
	return db, nil
}

// urlList is a list of URLs, separated by spaces.
type urlList []string

// Decode implements kong.MapperValue.
func (l *urlList) Decode(ctx *kong.DecodeContext) error {
	words, err := splitValue(ctx, strings.Fields)
	*l = append(*l, words...)
	return err
}

// replicas returns the URLs of the replicas of db.
func (s catalogSettings) replicas(db string) ([]string, error) {
	setting, urls := "db-read", []string(s.Replicas)
	switch {
	case s.ReplicaFile != "" && len(urls) > 0:
		return nil, settingError("db-read-file", "--db-read and --db-read-file exclude each other; use one of them")
	case s.ReplicaFile != "":
		text, err := os.ReadFile(s.ReplicaFile)
		if err != nil {
			return nil, settingError("db-read-file", "--db-read-file: %v", err)
		}
		setting, urls = "db-read-file", strings.Fields(string(text))
	}
	if len(urls) > 0 && !catalog.Shared(db) {
		return nil, settingError(setting, "--%s needs a PostgreSQL database in --db or --db-file", setting)
	}
	for _, replica := range urls {
		if _, err := validDSN(setting, replica); err != nil {
			return nil, err
		}
		if !catalog.Shared(replica) {
			return nil, settingError(setting, "--%s must be a URL: postgres://USER@HOST/NAME", setting)
		}
	}
	return urls, nil
}
