package cli

import (
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// place says where things are kept. Every command has it.
type place struct {
	DataDir string `name:"data-dir" env:"WAXWING_DATA_DIR" default:"${data_dir}" placeholder:"DIR" help:"Folder for the queue, tokens, database and covers."`
	Config  string `name:"config" env:"WAXWING_CONFIG" placeholder:"FILE" help:"Configuration to read (config.toml in the data folder, else in the configuration folder)."`
}

// file names something in the data folder.
func (p place) file(name string) string { return filepath.Join(p.DataDir, name) }

// prepare makes the data folder, for this account alone.
func (p place) prepare() error {
	if err := os.MkdirAll(p.DataDir, 0o700); err != nil {
		return wrong("data-dir", "the data folder cannot be made: %v; choose another, for example --data-dir ~/waxwing", err)
	}
	return nil
}

// lock keeps a second server of the same role off the data folder until the returned function is called or the process dies.
func (p place) lock(role string) (unlock func(), err error) {
	l := flock.New(p.file(role+".lock"), flock.SetPermissions(0o600))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !held {
		return nil, fault.New(fault.Conflict, "another Waxwing is using the data folder %s; stop it, or choose another with --data-dir", p.DataDir)
	}
	return func() { _ = l.Unlock() }, nil // the process's end unlocks it as well
}

// The files of the data folder.
const (
	ownerTokenFile = "owner.token"    // secret of the CLI's own token
	tokensFile     = "tokens.json"    // hashes of all tokens
	journalFile    = "player.journal" // queue and place
	playerKeyFile  = "player.key"     // the player's key to its catalog
	runningFile    = "running.json"   // where a running player listens
	catalogFile    = "catalog.db"
	coversDir      = "covers"
	spoolDir       = "spool"
	auditFile      = "audit.log"   // changes and refusals
	playsFile      = "plays.jsonl" // plays that the catalog has not heard of yet
)

type logSettings struct {
	LogLevel  string `name:"log-level" env:"WAXWING_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"How much to log: debug, info, warn, error."`
	LogFormat string `name:"log-format" env:"WAXWING_LOG_FORMAT" default:"text" enum:"text,json" placeholder:"FORMAT" help:"Log as text or json."`
}

// playerSettings are those of the player.
type playerSettings struct {
	PlayerAddr  string   `name:"player-addr" env:"WAXWING_PLAYER_ADDR" default:"127.0.0.1:7833" placeholder:"HOST:PORT" help:"Where the control API listens."`
	PlayerHosts hostList `name:"player-host" env:"WAXWING_PLAYER_HOST" placeholder:"NAME,..." help:"Further host names the control API answers to, each with or without a port (separated by commas, or repeated)."`
	Output      string   `name:"output" env:"WAXWING_OUTPUT" default:"auto" placeholder:"OUTPUT" help:"auto, pulse, alsa, null, file:PATH or pipe (raw samples on standard output)."`
	ReplayGain  string   `name:"replay-gain" env:"WAXWING_REPLAY_GAIN" default:"auto" enum:"off,track,album,auto" placeholder:"MODE" help:"Even out loudness: off, track, album, auto."`
	AllowRemote bool     `name:"allow-remote" env:"WAXWING_ALLOW_REMOTE" help:"Let the control API listen on an address that other machines reach."`
	NoFFmpeg    bool     `name:"no-ffmpeg" env:"WAXWING_NO_FFMPEG" help:"Never start ffmpeg for formats Waxwing cannot decode itself."`
	NoMPRIS     bool     `name:"no-mpris" env:"WAXWING_NO_MPRIS" help:"Keep off the desktop's session bus: no media keys, no panels."`
}

// catalogSettings are those of the catalog.
type catalogSettings struct {
	databaseSettings
	CatalogAddr  string        `name:"catalog-addr" env:"WAXWING_CATALOG_ADDR" default:"127.0.0.1:7845" placeholder:"HOST:PORT" help:"Where the catalog API listens."`
	CatalogHosts hostList      `name:"catalog-host" env:"WAXWING_CATALOG_HOST" placeholder:"NAME,..." help:"Further host names the catalog API answers to, each with or without a port (separated by commas, or repeated)."`
	PublicURL    string        `name:"public-url" env:"WAXWING_PUBLIC_URL" placeholder:"URL" help:"Base of the URLs the catalog gives out (default: its own address)."`
	Music        folderList    `name:"music" sep:"none" env:"WAXWING_MUSIC" placeholder:"DIR" help:"Folder with music (several: separated as in PATH, or repeated). Without one, the built-in demo library plays."`
	Connections  int           `name:"db-connections" env:"WAXWING_DB_CONNECTIONS" placeholder:"N" help:"Most connections to PostgreSQL at once (default: four a processor, at least 8); a server has up to three more."`
	ScanEvery    time.Duration `name:"scan-every" env:"WAXWING_SCAN_EVERY" default:"1h" help:"How often to look for changes the system did not report; 0 for never."`
	RateLimit    float64       `name:"rate-limit" env:"WAXWING_RATE_LIMIT" default:"50" placeholder:"N" help:"Requests a second for each key (bursts of four times as many); 0 for no limit."`
}

// catalogLink is how a player that runs alone reaches its catalog.
type catalogLink struct {
	Catalog    string `name:"catalog" env:"WAXWING_CATALOG" default:"http://127.0.0.1:7845" placeholder:"URL" help:"The catalog to play from."`
	APIKeyFile string `name:"api-key-file" env:"WAXWING_API_KEY_FILE" placeholder:"FILE" help:"File with the key to the catalog (permissions read and write; made with: waxwing key create)."`
}

// Settings are all there are, for config show.
type Settings struct {
	place
	logSettings
	playerSettings
	catalogSettings
	catalogLink
	auditSettings
	operatorSettings
}

// checkAddr refuses an address that cannot be listened on, or that lets other machines in unasked.
func checkAddr(flag, addr string, allowRemote bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return wrong(flag, "--%s must be HOST:PORT, for example 127.0.0.1:7833, not %q", flag, addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return wrong(flag, "--%s: %q is not a port number, as in 127.0.0.1:7833", flag, port)
	}
	if allowRemote || strings.EqualFold(host, "localhost") {
		return nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return wrong(flag, "--%s %s would let other machines steer this player; add --allow-remote if that is what you want", flag, addr)
	}
	return nil
}

func (s playerSettings) check() error {
	if err := checkAddr("player-addr", s.PlayerAddr, s.AllowRemote); err != nil {
		return err
	}
	if err := s.PlayerHosts.check("player-host"); err != nil {
		return err
	}
	_, err := player.ParseGainMode(s.ReplayGain)
	return err
}

func (s catalogSettings) check() error {
	if err := checkAddr("catalog-addr", s.CatalogAddr, true); err != nil {
		return err
	}
	if err := s.CatalogHosts.check("catalog-host"); err != nil {
		return err
	}
	if err := checkBase("public-url", s.PublicURL); err != nil {
		return err
	}
	if !(s.RateLimit >= 0) || math.IsInf(s.RateLimit, 0) { // no order holds for what is not a number
		return wrong("rate-limit", "--rate-limit must be 0 or more, for example 50, not %v", s.RateLimit)
	}
	if s.ScanEvery < 0 {
		return wrong("scan-every", "--scan-every must be a time, for example 1h, or 0 for never, not %v", s.ScanEvery)
	}
	if s.Connections < 0 {
		return wrong("db-connections", "--db-connections must be 1 or more, for example 16, not %d; leave it out for the default", s.Connections)
	}
	for _, dir := range s.Music {
		if err := checkFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkFolder refuses a music folder that is not there.
func checkFolder(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return wrong("music", "--music %s: there is no such folder; name one that exists, for example --music /srv/music", dir)
	}
	return nil
}
