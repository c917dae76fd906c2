package cli

import (
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/library/s3"
	"waxwing/internal/player"
)

// commonSettings are those of every command.
type commonSettings struct {
	DataDir app.DataDir `name:"data-dir" env:"WAXWING_DATA_DIR" default:"${data_dir}" placeholder:"DIR" help:"Folder of the queue, tokens, database and covers (default: ${default})."`
	Config  string      `name:"config" env:"WAXWING_CONFIG" placeholder:"FILE" help:"Configuration file (default: config.toml in the data folder, else in the configuration folder)."`
}

type logSettings struct {
	LogLevel  string `name:"log-level" env:"WAXWING_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Log level: debug, info, warn or error (default: ${default})."`
	LogFormat string `name:"log-format" env:"WAXWING_LOG_FORMAT" default:"text" enum:"text,json" placeholder:"FORMAT" help:"Log format: text or json (default: ${default})."`
}

type playerSettings struct {
	PlayerAddr  string   `name:"player-addr" env:"WAXWING_PLAYER_ADDR" default:"127.0.0.1:7833" placeholder:"HOST:PORT" help:"Address of the control API (default: ${default})."`
	PlayerHosts hostList `name:"player-host" env:"WAXWING_PLAYER_HOST" placeholder:"NAME,..." help:"Further host names of the control API, with or without a port (separated by commas, or repeated)."`
	PlayerURL   string   `name:"player-public-url" env:"WAXWING_PLAYER_PUBLIC_URL" placeholder:"URL" help:"URL at which a TLS proxy serves the control API and the web player (default: --public-url, if that is set)."`
	Output      string   `name:"output" env:"WAXWING_OUTPUT" default:"auto" placeholder:"OUTPUT" help:"Audio output: auto, pulse, alsa, null, file:PATH or pipe (raw samples on standard output; default: ${default})."`
	ReplayGain  string   `name:"replay-gain" env:"WAXWING_REPLAY_GAIN" default:"auto" enum:"off,track,album,auto" placeholder:"MODE" help:"Normalize loudness: off, track, album or auto (default: ${default})."`
	AllowRemote bool     `name:"allow-remote" env:"WAXWING_ALLOW_REMOTE" help:"Allow --player-addr to be an address that other machines can reach."`
	SpoolLimit  int64    `name:"spool-limit" env:"WAXWING_SPOOL_LIMIT" default:"2048" placeholder:"MB" help:"Disk space for buffered tracks, in MB; at most a quarter of the free space is used (default: ${default})."`
	StreamAllow hostList `name:"stream-allow" env:"WAXWING_STREAM_ALLOW" placeholder:"ADDRESS,…" help:"Addresses or networks, such as 192.168.1.0/24, that the player may play web radio and files from although they are not on the public internet."`
	MPDAddr     mpdAddr  `name:"mpd-addr" env:"WAXWING_MPD_ADDR" placeholder:"HOST:PORT" help:"Let MPD clients control the player at this address, with a token as password (default: off; without a value: 127.0.0.1:6600)."`
	MPDOpen     string   `name:"mpd-open" env:"WAXWING_MPD_OPEN" default:"none" enum:"none,read" placeholder:"WHAT" help:"What MPD clients may do without a password: none or read (default: ${default})."`
	NoMPRIS     bool     `name:"no-mpris" env:"WAXWING_NO_MPRIS" help:"Do not connect to the session bus for media keys and desktop panels (MPRIS)."`
}

// storageSettings say how to reach music in object storage. Credentials are no settings.
type storageSettings struct {
	S3Endpoint        string `name:"s3-endpoint" env:"WAXWING_S3_ENDPOINT" placeholder:"URL" help:"URL of the storage of buckets in --music (default: that of Amazon S3)."`
	S3Region          string `name:"s3-region" env:"WAXWING_S3_REGION" placeholder:"REGION" help:"Region of the buckets (default: AWS_REGION, else looked up; us-east-1 with --s3-endpoint)."`
	S3PathStyle       bool   `name:"s3-path-style" env:"WAXWING_S3_PATH_STYLE" help:"Write the bucket in the path of URLs instead of the host name, as most servers other than Amazon need it."`
	S3CredentialsFile string `name:"s3-credentials-file" env:"WAXWING_S3_CREDENTIALS_FILE" placeholder:"FILE" help:"File with the credentials of the buckets, in the form of ~/.aws/credentials (default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else ~/.aws/credentials)."`
}

func (s storageSettings) config() s3.Config {
	return s3.Config{
		Endpoint: s.S3Endpoint, Region: s.S3Region, PathStyle: s.S3PathStyle, CredentialsFile: s.S3CredentialsFile,
	}
}

// check returns an error for a storage that cannot be used, and for a bucket without a valid name.
func (s storageSettings) check(music []string) error {
	if err := checkURLPrefix("s3-endpoint", s.S3Endpoint); err != nil {
		return err
	}
	if s.S3CredentialsFile != "" {
		if _, err := os.Stat(s.S3CredentialsFile); err != nil {
			return settingError("s3-credentials-file", "--s3-credentials-file %s: no such file", s.S3CredentialsFile)
		}
	}
	for _, name := range music {
		if err := s.checkMusic(name); err != nil {
			return err
		}
	}
	return nil
}

// checkMusic returns an error for a music folder that does not exist, or a bucket that cannot.
func (s storageSettings) checkMusic(name string) error {
	if !strings.HasPrefix(name, s3.Scheme) {
		return checkFolder(name)
	}
	if _, err := s3.New(name, s.config()); err != nil {
		return settingError("music", "--music: %v", err)
	}
	return nil
}

type catalogSettings struct {
	databaseSettings
	storageSettings
	CatalogAddr   string        `name:"catalog-addr" env:"WAXWING_CATALOG_ADDR" default:"127.0.0.1:7845" placeholder:"HOST:PORT" help:"Address of the catalog API (default: ${default})."`
	CatalogHosts  hostList      `name:"catalog-host" env:"WAXWING_CATALOG_HOST" placeholder:"NAME,..." help:"Further host names of the catalog API, with or without a port (separated by commas, or repeated)."`
	PublicURL     string        `name:"public-url" env:"WAXWING_PUBLIC_URL" placeholder:"URL" help:"URL at which a TLS proxy serves the catalog, and base URL of links in its replies (default: the address of the request)."`
	Music         folderList    `name:"music" sep:"none" env:"WAXWING_MUSIC" placeholder:"DIR" help:"Folder with music, or s3://BUCKET/PREFIX (several: separated as in PATH, or repeated; default: the built-in demo library)."`
	MediaRedirect bool          `name:"media-redirect" env:"WAXWING_MEDIA_REDIRECT" help:"Reply to requests for songs in buckets with a redirect to a URL of the storage, valid for an hour, instead of their bytes."`
	Connections   int           `name:"db-connections" env:"WAXWING_DB_CONNECTIONS" placeholder:"N" help:"Limit of pooled connections to PostgreSQL (default: four per processor, at least 8); a server uses up to three more."`
	Replicas      urlList       `name:"db-read" sep:"none" env:"WAXWING_DB_READ" placeholder:"URL" help:"Replica of the PostgreSQL database; lists and searches are read from it while it has the newest changes (repeatable, or separated by spaces)."`
	ReplicaFile   string        `name:"db-read-file" env:"WAXWING_DB_READ_FILE" placeholder:"FILE" help:"Read the values of --db-read from this file, one on each line."`
	ScanEvery     time.Duration `name:"scan-every" env:"WAXWING_SCAN_EVERY" default:"1h" help:"Interval of full scans, for changes the system did not report; 0 disables them (default: ${default})."`
	LyricsURL     string        `name:"lyrics-url" env:"WAXWING_LYRICS_URL" placeholder:"URL" help:"Look up lyrics that the files do not have at this server, for example https://lrclib.net; it receives title, artist, album and length of those songs (default: nothing is looked up)."`
	Transcodes    int64         `name:"transcode-cache" env:"WAXWING_TRANSCODE_CACHE" default:"1024" placeholder:"MB" help:"Disk space for songs that were converted to another format for a client, in MB; the least recently used are removed first; 0 disables conversions (default: ${default})."`
	Jukebox       string        `name:"jukebox-player" env:"WAXWING_JUKEBOX_PLAYER" placeholder:"own|URL|off" help:"Player that apps control in their jukebox mode: own (that of waxwing up), the URL of another, or off (default: off)."`
	JukeboxToken  string        `name:"jukebox-token-file" env:"WAXWING_JUKEBOX_TOKEN_FILE" placeholder:"FILE" help:"File with a token of that player (permissions read and write; create it there with: waxwing token create)."`
	RateLimit     float64       `name:"rate-limit" env:"WAXWING_RATE_LIMIT" default:"50" placeholder:"N" help:"Requests per second for each key, with bursts of four times as many; 0 disables the limit (default: ${default})."`
}

// ffmpegSettings are those of every role that reads audio.
type ffmpegSettings struct {
	NoFFmpeg bool `name:"no-ffmpeg" env:"WAXWING_NO_FFMPEG" help:"Do not use ffmpeg: neither for formats without a built-in decoder, nor to convert songs to Opus and MP3."`
}

// catalogLink locates the catalog of a player that runs alone.
type catalogLink struct {
	Catalog    string `name:"catalog" env:"WAXWING_CATALOG" default:"http://127.0.0.1:7845" placeholder:"URL" help:"URL of the catalog (default: ${default})."`
	APIKeyFile string `name:"api-key-file" env:"WAXWING_API_KEY_FILE" placeholder:"FILE" help:"File with the key to the catalog (permissions read and write; create it with: waxwing key create)."`
}

// Settings are all settings, for config show.
type Settings struct {
	commonSettings
	logSettings
	playerSettings
	catalogSettings
	ffmpegSettings
	catalogLink
	auditSettings
	operatorSettings
}

// checkAddr returns an error for an invalid address, or one that other machines can reach without
// allowRemote.
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
		return settingError(flag, "--%s %s would let other machines control this player; add --allow-remote to allow that",
			flag, addr)
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
	if err := checkURLPrefix("player-public-url", s.PlayerURL); err != nil {
		return err
	}
	if s.MPDAddr != "" {
		if err := checkAddr("mpd-addr", string(s.MPDAddr), s.AllowRemote); err != nil {
			return err
		}
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
	if err := checkURLPrefix("lyrics-url", s.LyricsURL); err != nil {
		return err
	}
	if s.Jukebox != jukeboxOff && s.Jukebox != jukeboxOwn {
		if err := checkURLPrefix("jukebox-player", s.Jukebox); err != nil {
			return err
		}
	}
	if !(s.RateLimit >= 0) || math.IsInf(s.RateLimit, 0) { // also rejects NaN
		return settingError("rate-limit", "--rate-limit must be 0 or more, for example 50, not %v", s.RateLimit)
	}
	if s.ScanEvery < 0 {
		return settingError("scan-every", "--scan-every must be a duration, for example 1h, or 0 to disable it, not %v",
			s.ScanEvery)
	}
	if s.Transcodes < 0 || s.Transcodes > math.MaxInt64>>20 {
		return settingError("transcode-cache", "--transcode-cache must be a number of MB, for example 1024, or 0 to disable "+
			"conversions, not %d", s.Transcodes)
	}
	if s.Connections < 0 {
		return settingError("db-connections", "--db-connections must be 1 or more, for example 16, not %d; omit it for "+
			"the default", s.Connections)
	}
	return s.storageSettings.check(s.Music)
}

// The values of --jukebox-player that are no URL.
const (
	jukeboxOff = "off"
	jukeboxOwn = "own"
)

// jukebox returns the player that apps control, with its token.
func (s catalogSettings) jukebox() (j app.Jukebox, err error) {
	switch {
	case s.Jukebox == jukeboxOff, s.Jukebox == "" && s.JukeboxToken == "":
		return app.Jukebox{Off: true}, nil
	case s.Jukebox == jukeboxOwn:
		return j, nil
	case s.Jukebox == "" || s.JukeboxToken == "":
		return j, settingError("jukebox-player",
			"--jukebox-player URL and --jukebox-token-file FILE belong together; give both")
	}
	token, err := os.ReadFile(s.JukeboxToken)
	if err != nil {
		return j, settingError("jukebox-token-file", "--jukebox-token-file: %v", err)
	}
	return app.Jukebox{URL: s.Jukebox, Token: strings.TrimSpace(string(token))}, nil
}

// checkFolder returns an error for a music folder that does not exist.
func checkFolder(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return settingError("music", "--music %s: no such folder; choose an existing one, for example --music /srv/music",
			dir)
	}
	return nil
}
