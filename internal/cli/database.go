package cli

import (
	"os"
	"strings"

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
