package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/audit"
)

// auditSettings are those of every server and of every command that changes credentials.
type auditSettings struct {
	Audit string `name:"audit" env:"WAXWING_AUDIT" placeholder:"FILE" help:"Record changes and denied requests in this file, or off (default: audit.log in the data folder)."`
}

// path returns the file of the audit log; "" if it is off.
func (s auditSettings) path(dir app.DataDir) string {
	switch s.Audit {
	case "off":
		return ""
	case "":
		return dir.File(app.AuditFile)
	}
	return s.Audit
}

// record appends a change of a credential to the audit log. If that fails, it prints a warning and
// the command succeeds.
func (s auditSettings) record(dir app.DataDir, std IO, event audit.Event, id, name string) {
	path := s.path(dir)
	if path == "" {
		return
	}
	err := audit.Append(path, audit.Entry{Server: audit.Command, Decision: audit.Allowed, Event: event, Subject: id,
		SubjectName: name})
	if err != nil {
		fmt.Fprintln(std.Err, "waxwing: the change was made, but could not be recorded in the audit log:", err)
	}
}

// auditCmd prints the audit log.
type auditCmd struct {
	commonSettings
	auditSettings
	Lines  int           `name:"lines" short:"n" default:"40" help:"Print the newest N lines; 0 prints all (default: ${default})."`
	Denied bool          `name:"denied" help:"Print only denied requests."`
	Who    string        `name:"who" placeholder:"ID|NAME" help:"Print only entries of or about this token or key."`
	Since  time.Duration `name:"since" placeholder:"DURATION" help:"Print only entries newer than this, for example 24h."`
	JSON   bool          `name:"json" help:"Print JSON."`
}

func (c *auditCmd) Run(_ context.Context, std IO) error {
	path := c.path(c.DataDir)
	if path == "" {
		return usage("the audit log is off; choose a file with --audit FILE")
	}
	if c.Lines < 0 {
		return usage("--lines must be 0 or more")
	}
	entries := []audit.Entry{}
	for e, err := range audit.Read(path) {
		if err != nil {
			return err
		}
		if !c.wanted(e) {
			continue
		}
		if entries = append(entries, e); c.Lines > 0 && len(entries) >= 2*c.Lines {
			entries = append(entries[:0], entries[len(entries)-c.Lines:]...)
		}
	}
	if c.Lines > 0 && len(entries) > c.Lines {
		entries = entries[len(entries)-c.Lines:]
	}
	if c.JSON {
		return printJSON(std.Out, entries)
	}
	if len(entries) == 0 {
		_, err := fmt.Fprintln(std.Out, "The audit log has no matching entries.")
		return err
	}
	t := newTable(std.Out, "TIME", "WHO", "WHAT", "RESULT", "FROM")
	for _, e := range entries {
		t.row(e.Time.Local().Format(time.DateTime), named(e.Credential, e.Name), what(e), result(e), origin(e))
	}
	return t.flush()
}

func (c *auditCmd) wanted(e audit.Entry) bool {
	if c.Denied && e.Decision != audit.Denied || c.Since > 0 && time.Since(e.Time) > c.Since {
		return false
	}
	return c.Who == "" || c.Who == e.Credential || c.Who == e.Name || c.Who == e.Subject || c.Who == e.SubjectName
}

func named(id, name string) string {
	switch {
	case name == "":
		return id
	case id == "":
		return "“" + name + "”"
	}
	return id + " “" + name + "”"
}

// what describes the request or the event.
func what(e audit.Entry) string {
	request := e.Route
	if method, _, found := strings.Cut(e.Route, " "); found && method != e.Method {
		request = e.Method + " " + e.Route // a HEAD request is served by the GET route
	} else if !found {
		request = strings.TrimSpace(e.Method + " " + e.Route)
	}
	if e.Event == "" {
		return request
	}
	return strings.TrimSpace(string(e.Event) + " " + named(e.Subject, e.SubjectName))
}

func result(e audit.Entry) string {
	words := []string{string(e.Decision)}
	if e.Reason != "" {
		words = append(words, "("+string(e.Reason)+")")
	}
	if e.Status != 0 {
		words = append(words, strconv.Itoa(e.Status))
	}
	if e.Count > 0 {
		words = append(words, "× "+strconv.FormatInt(e.Count, 10))
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

func origin(e audit.Entry) string {
	if e.Address == "" {
		return e.Server
	}
	return e.Address + " at the " + e.Server
}
