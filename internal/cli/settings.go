package cli

import (
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/player"
)

// commonSettings are those of every command.
type commonSettings struct {
	DataDir app.DataDir `name:"data-dir" env:"WAXWING_DATA_DIR" default:"${data_dir}" placeholder:"DIR" help:"Folder for the queue, tokens, database and covers."`
	Config  string      `name:"config" env:"WAXWING_CONFIG" placeholder:"FILE" help:"Configuration to read (config.toml in the data folder, else in the configuration folder)."`
}

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
	commonSettings
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
		return settingError(flag, "--%s must be HOST:PORT, for example 127.0.0.1:7833, not %q", flag, addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return settingError(flag, "--%s: %q is not a port number, as in 127.0.0.1:7833", flag, port)
	}
	if allowRemote || strings.EqualFold(host, "localhost") {
		return nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return settingError(flag, "--%s %s would let other machines steer this player; add --allow-remote if that is what you want", flag, addr)
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
	if err := checkURLPrefix("public-url", s.PublicURL); err != nil {
		return err
	}
	if !(s.RateLimit >= 0) || math.IsInf(s.RateLimit, 0) { // no order holds for what is not a number
		return settingError("rate-limit", "--rate-limit must be 0 or more, for example 50, not %v", s.RateLimit)
	}
	if s.ScanEvery < 0 {
		return settingError("scan-every", "--scan-every must be a time, for example 1h, or 0 for never, not %v", s.ScanEvery)
	}
	if s.Connections < 0 {
		return settingError("db-connections", "--db-connections must be 1 or more, for example 16, not %d; leave it out for the default", s.Connections)
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
		return settingError("music", "--music %s: there is no such folder; name one that exists, for example --music /srv/music", dir)
	}
	return nil
}
