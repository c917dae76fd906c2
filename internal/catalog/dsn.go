package catalog

import (
	"net/url"
	"regexp"
	"strings"
)

// RedactDSN is the name of a database, or any other address, as it may be printed: without a password, and without anything of which
// it is not certain that it is no password. The name of a file stays as it is.
func RedactDSN(db string) string {
	scheme, _, isURL := strings.Cut(db, "://")
	if !isURL {
		if isKeywordDSN(db) || hasPostgresScheme(db) {
			return hidden("postgres")
		}
		return db
	}
	u, err := url.Parse(db)
	if err != nil {
		return hidden(scheme)
	}
	query, err := url.ParseQuery(u.RawQuery)
	// An @ this late was meant to end a password with a / ? or # in it, which made the rest of it a path.
	if err != nil || strings.Contains(u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@") {
		return hidden(scheme)
	}
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") && name != "passfile" {
			u.RawQuery, u.Fragment = name+"=xxxxx&…", "" // what follows may be the rest of a password with a & or # in it
		}
	}
	return u.Redacted()
}

// ValidateDSN refuses what can be the name of no database, with a sentence that repeats none of it.
func ValidateDSN(db string) error {
	if _, err := dialectOf(db); err != nil || !Shared(db) {
		return err
	}
	_, err := postgresConfig(db)
	return err
}

// hidden is all that is shown of an address that cannot be told from its password.
func hidden(scheme string) string {
	if !schemeForm.MatchString(scheme) {
		return "…"
	}
	return scheme + "://…"
}

var (
	schemeForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]{0,20}$`)
	keywordForm = regexp.MustCompile(`(?i)(^|\s)(host|hostaddr|port|user|password|dbname|service|passfile|sslmode|application_name)\s*=`)
)

// isKeywordDSN recognizes PostgreSQL's other way to name a database: host=… user=… password=…
func isKeywordDSN(db string) bool { return keywordForm.MatchString(db) }

// hasPostgresScheme recognizes a URL of PostgreSQL, also one that lacks a slash or is written in capitals.
func hasPostgresScheme(db string) bool {
	scheme, _, found := strings.Cut(db, ":")
	return found && (strings.EqualFold(scheme, "postgres") || strings.EqualFold(scheme, "postgresql"))
}
