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

// auditSettings are those of every command that changes who may do what, or serves those who ask.
type auditSettings struct {
	Audit string `name:"audit" env:"WAXWING_AUDIT" placeholder:"FILE" help:"Where changes and refused requests are recorded (default: audit.log in the data folder); off for nowhere."`
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

// record notes what a person did to a credential by this command. A record that cannot be written
// is said, and stops nothing.
func (s auditSettings) record(dir app.DataDir, std IO, event audit.Event, id, name string) {
	path := s.path(dir)
	if path == "" {
		return
	}
	err := audit.Append(path, audit.Entry{Server: audit.Command, Decision: audit.Allowed, Event: event, Subject: id, SubjectName: name})
	if err != nil {
		fmt.Fprintln(std.Err, "waxwing: this was done and is not in the audit log:", err)
	}
}

// auditCmd shows the record to people.
type auditCmd struct {
	commonSettings
	auditSettings
	Lines  int           `name:"lines" short:"n" default:"40" help:"How many of the newest lines to show; 0 for all."`
	Denied bool          `name:"denied" help:"Only what was refused."`
	Who    string        `name:"who" placeholder:"ID|NAME" help:"Only what a token or key did, or what was done to it."`
	Since  time.Duration `name:"since" placeholder:"DURATION" help:"Only the last hours, for example 24h."`
	JSON   bool          `name:"json" help:"Print JSON."`
}

func (c *auditCmd) Run(_ context.Context, std IO) error {
	path := c.path(c.DataDir)
	if path == "" {
		return usage("the audit log is off; --audit FILE names one to show")
	}
	if c.Lines < 0 {
		return usage("--lines must be 0 or more")
	}
	shown := []audit.Entry{}
	for e, err := range audit.Read(path) {
		if err != nil {
			return err
		}
		if !c.wanted(e) {
			continue
		}
		if shown = append(shown, e); c.Lines > 0 && len(shown) >= 2*c.Lines {
			shown = append(shown[:0], shown[len(shown)-c.Lines:]...)
		}
	}
	if c.Lines > 0 && len(shown) > c.Lines {
		shown = shown[len(shown)-c.Lines:]
	}
	if c.JSON {
		return printJSON(std.Out, shown)
	}
	if len(shown) == 0 {
		_, err := fmt.Fprintln(std.Out, "Nothing is recorded.")
		return err
	}
	t := newTable(std.Out, "TIME", "WHO", "WHAT", "RESULT", "FROM")
	for _, e := range shown {
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

// what says what was asked or done.
func what(e audit.Entry) string {
	asked := e.Route
	if method, _, found := strings.Cut(e.Route, " "); found && method != e.Method {
		asked = e.Method + " " + e.Route // HEAD is answered wherever GET is
	} else if !found {
		asked = strings.TrimSpace(e.Method + " " + e.Route)
	}
	if e.Event == "" {
		return asked
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
