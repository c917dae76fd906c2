package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"waxwing/internal/backup"
	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// DataDir is the path of a data folder.
type DataDir string

// The files of a data folder.
const (
	OwnerTokenFile = "owner.token"    // secret of the command line's own token
	TokensFile     = "tokens.json"    // hashes of all tokens
	JournalFile    = "player.journal" // queue and position
	PlayerKeyFile  = "player.key"     // the player's key to its catalog
	RunningFile    = "running.json"   // where a running player listens
	ServingFile    = "serving.json"   // where a running catalog listens
	ControlSocket  = "control.sock"   // of a running player, for commands of the same account
	CatalogFile    = "catalog.db"
	CoversDir      = "covers"
	SpoolDir       = "spool"
	TranscodesDir  = "transcodes"    // audio in other formats, can be deleted
	AuditFile      = "audit.log"     // changes and denied requests
	PlaysFile      = "plays.jsonl"   // plays not yet reported to the catalog
	StickersFile   = "stickers.json" // values that MPD clients attached to songs
)

// File returns the path of a file in the data folder.
func (d DataDir) File(name string) string { return filepath.Join(string(d), name) }

// Create creates the data folder with access for this account alone. If a restore of it was
// interrupted, Create completes that.
func (d DataDir) Create() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return settingError("data-dir", "cannot create the data folder: %v; choose another one, for example --data-dir "+
			"~/waxwing", err)
	}
	return backup.Finish(string(d))
}

// Lock reserves a role (catalog, player or scan) in the data folder for one process. The lock ends
// with unlock or with the process.
func (d DataDir) Lock(role string) (unlock func(), err error) {
	l := flock.New(d.File(role+".lock"), flock.SetPermissions(0o600))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !held {
		return nil, fault.New(fault.Conflict, "another Waxwing is using the data folder %s; stop it, or choose another "+
			"folder with --data-dir", d)
	}
	unlock = func() { _ = l.Unlock() } // the lock also ends with the process
	// A restore that began after Create had to wait for this lock, or was killed meanwhile.
	if err := backup.Finish(string(d)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// LockAll reserves all roles, so that the files can be replaced.
func (d DataDir) LockAll() (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, f := range held {
			f()
		}
	}
	for _, role := range []string{"catalog", "player", "scan"} {
		f, err := d.Lock(role)
		if err == nil {
			held = append(held, f)
			continue
		}
		unlock()
		if kind, _ := fault.Of(err); kind == fault.Conflict {
			return nil, fault.New(fault.Conflict, "a %s is running on the data folder %s and would overwrite the restored "+
				"files; stop it first", role, d)
		}
		return nil, err
	}
	return unlock, nil
}

// Running is the content of RunningFile.
type Running struct {
	Player string `json:"player"`           // host:port
	Socket bool   `json:"socket,omitempty"` // it also listens on ControlSocket
	MPD    string `json:"mpd,omitempty"`    // address for MPD clients
	PID    int    `json:"pid"`
}

// Serving is the content of ServingFile.
type Serving struct {
	Catalog string `json:"catalog"` // host:port
	PID     int    `json:"pid"`
}

// announce stores where a server listens, for the commands that use the same data folder. what is a
// Running or a Serving.
func (d DataDir) announce(file string, what any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("encode the address of the server: %w", err)
	}
	return statefile.Write(d.File(file), text, 0o600)
}

// Serving returns where the catalog of this data folder listens, or did before it crashed; the zero
// value if none was started.
func (d DataDir) Serving() (s Serving) {
	text, err := os.ReadFile(d.File(ServingFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return Serving{}
	}
	return s
}

// Running returns where the player of this data folder listens, or did before it crashed; the zero
// value if none was started.
func (d DataDir) Running() (r Running) {
	text, err := os.ReadFile(d.File(RunningFile))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return Running{}
	}
	return r
}
