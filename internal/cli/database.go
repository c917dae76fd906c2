package cli

import (
	"os"
	"strings"

	"waxwing/internal/app"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// databaseSettings say where the catalog is kept.
type databaseSettings struct {
	DB     string `name:"db" env:"WAXWING_DB" placeholder:"URL" help:"Database: a SQLite file (default, in the data folder) or postgres://…"`
	DBFile string `name:"db-file" env:"WAXWING_DB_FILE" placeholder:"FILE" help:"File with the value of --db: a password in it is in no process list and in no environment."`
}

// database is where the catalog is kept.
func (s databaseSettings) database(dir app.DataDir) (string, error) {
	switch {
	case s.DB != "" && s.DBFile != "":
		return "", settingError("db-file", "--db and --db-file say the same thing: name one of them")
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
		return "", settingError("db-file", "--db-file: %s is empty; it holds one line, for example postgres://waxwing:PASSWORD@db.example.net/waxwing", s.DBFile)
	}
	return validDSN("db-file", db)
}

// validDSN returns db if it can be the name of a database, else what is wrong with the setting that it comes from.
func validDSN(setting, db string) (string, error) {
	if err := catalog.ValidateDSN(db); err != nil {
		_, sentence := fault.Of(err)
		return "", settingError(setting, "--%s: %s", setting, sentence)
	}
	return db, nil
}
