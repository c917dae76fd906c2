package catalog

import (
	"net/url"
	"regexp"
	"strings"
)

// RedactDSN returns a database name or another address for logs and messages: without a password,
// and without any part that might be one. File names are returned unchanged.
func RedactDSN(db string) string {
	scheme, _, isURL := strings.Cut(db, "://")
	if !isURL {
		if isKeywordDSN(db) || hasPostgresScheme(db) {
			return redacted("postgres")
		}
		return db
	}
	u, err := url.Parse(db)
	if err != nil {
		return redacted(scheme)
	}
	query, err := url.ParseQuery(u.RawQuery)
	// An @ in the path ends a password that contains / ? or #.
	if err != nil || strings.Contains(u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@") {
		return redacted(scheme)
	}
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") && name != "passfile" {
			u.RawQuery, u.Fragment = name+"=xxxxx&…", "" // the rest may belong to a password with & or #
		}
	}
	return u.Redacted()
}

// ValidateDSN returns an Invalid fault for a malformed database name. Its message repeats no part
// of the name.
func ValidateDSN(db string) error {
	if _, err := dialectOf(db); err != nil || !Shared(db) {
		return err
	}
	_, err := postgresConfig(db)
	return err
}

// redacted is all that RedactDSN returns of an address that it cannot separate from a password.
func redacted(scheme string) string {
	if !schemeForm.MatchString(scheme) {
		return "…"
	}
	return scheme + "://…"
}

var (
	schemeForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]{0,20}$`)
	keywordForm = regexp.MustCompile(
		`(?i)(^|\s)(host|hostaddr|port|user|password|dbname|service|passfile|sslmode|application_name)\s*=`,
	)
)

// isKeywordDSN recognizes PostgreSQL's keyword form: host=… user=… password=…
func isKeywordDSN(db string) bool { return keywordForm.MatchString(db) }

// hasPostgresScheme recognizes a PostgreSQL URL, even without slashes or in capitals.
func hasPostgresScheme(db string) bool {
	scheme, _, found := strings.Cut(db, ":")
	return found && (strings.EqualFold(scheme, "postgres") || strings.EqualFold(scheme, "postgresql"))
}
