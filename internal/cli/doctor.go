package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/audio/output"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library/s3"
	"waxwing/internal/lyrics/lrclib"
)

type doctorCmd struct {
	Settings
	JSON bool `name:"json" help:"Print JSON."`
}

// finding is the result of one check.
type finding struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Fix     string `json:"fix"`     // "" if nothing needs to be done
	Warning bool   `json:"warning"` // it works, but perhaps not as wanted
}

func (c *doctorCmd) Run(ctx context.Context, std IO) error {
	checks := []func(context.Context) finding{c.dataFolder, c.playerPort, c.catalogPort, c.mpdPort, c.sound, c.audible,
		c.database, c.music, c.lyrics, c.decoders}
	found := make([]finding, 0, len(checks))
	bad := 0
	for _, check := range checks {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		f := check(ctx)
		cancel()
		if !f.OK {
			bad++
		}
		found = append(found, f)
	}
	if c.JSON {
		if err := printJSON(std.Out, found); err != nil {
			return err
		}
	} else {
		printFindings(std.Out, found)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d checks need your attention", bad, len(found))
	}
	return nil
}

func printFindings(w io.Writer, found []finding) {
	for _, f := range found {
		sign := "ok  "
		switch {
		case !f.OK:
			sign = "FIX "
		case f.Warning:
			sign = "WARN"
		}
		fmt.Fprintf(w, "%s %-13s %s\n", sign, f.Check, plain(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(w, "     %-13s → %s\n", "", plain(f.Fix))
		}
	}
}

func (c *doctorCmd) dataFolder(context.Context) finding {
	f, dir := finding{Check: "data folder"}, string(c.DataDir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.OK, f.Message = true, dir+" does not exist yet; the first start creates it"
		return f
	case err != nil || !info.IsDir():
		f.Message, f.Fix = dir+" is not a folder that this account can access", "choose another with --data-dir"
		return f
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		f.Message, f.Fix = dir+" is not writable",
			"give this account the folder (chown, chmod u+rwx) or choose another with --data-dir"
		return f
	}
	_ = errors.Join(probe.Close(), os.Remove(probe.Name()))
	if info.Mode().Perm()&0o077 != 0 {
		f.Message, f.Fix = fmt.Sprintf("%s is open to other accounts (mode %o)", dir, info.Mode().Perm()), "chmod 700 "+dir
		return f
	}
	f.OK, f.Message = true, dir
	return f
}

func (c *doctorCmd) sound(ctx context.Context) finding {
	f := finding{Check: "audio output"}
	out, err := output.New(c.Output, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Message, f.Fix = err.Error(), "choose an output with --output"
		return f
	}
	devices, err := out.Devices(ctx)
	switch {
	case err != nil || len(devices) == 0:
		f.Message, f.Fix = "the output “"+c.Output+"” has no device",
			"start PulseAudio or PipeWire for this account, or use --output auto"
	case devices[0].ID == silentOutput && c.Output == silentOutput:
		f.OK, f.Warning = true, true
		f.Message, f.Fix = "the output is “null”: nobody can hear the music", "use --output auto"
	case devices[0].ID == silentOutput:
		f.OK, f.Warning = true, true
		f.Message, f.Fix = "no sound server and no sound card: nobody can hear the music",
			"start PulseAudio or PipeWire; Waxwing connects at once"
	default:
		var names []string
		for _, d := range devices {
			names = append(names, d.Name)
		}
		f.OK, f.Message = true, strings.Join(names, ", ")
	}
	return f
}

func (c *doctorCmd) database(ctx context.Context) finding {
	f := finding{Check: "database"}
	db, err := c.catalogSettings.database(c.DataDir)
	if err != nil {
		_, f.Message = explain(err)
		f.Fix = "correct --db or --db-file"
		return f
	}
	if err := catalog.Check(ctx, db); err != nil {
		kind, _ := fault.Of(err)
		if _, absent := os.Stat(db); kind == fault.NotFound && errors.Is(absent, fs.ErrNotExist) && !catalog.Shared(db) {
			f.OK, f.Message = true, "does not exist yet; the first start creates it"
			return f
		}
		_, f.Message = explain(err)
		f.Fix = c.remedy(db, err)
		return f
	}
	f.OK, f.Message = true, "intact, with the schema of this version"
	replicas, err := c.replicas(db)
	if err != nil {
		_, f.Message = explain(err)
		f.OK, f.Fix = false, "correct --db-read or --db-read-file"
		return f
	}
	for i, replica := range replicas {
		if err := catalog.CheckReplica(ctx, replica); err != nil {
			f.OK, f.Message = false, fmt.Sprintf("replica %d of %d cannot be used: %v", i+1, len(replicas), err)
			f.Fix = "see “Read replicas” in docs/cluster.md; until then, the primary database replies"
			return f
		}
	}
	return f
}

// remedy returns what to do about an error of catalog.Check. Backups exist only of the catalog in
// the data folder.
func (c *doctorCmd) remedy(db string, err error) string {
	kind, _ := fault.Of(err)
	switch {
	case kind == fault.Conflict: // the message says why
		return "install the newer release"
	case catalog.Shared(db):
		switch kind {
		case fault.Unavailable:
			return "start PostgreSQL, or correct the host and the port in --db or --db-file; the catalog itself is not damaged"
		case fault.Unauthenticated:
			return "correct the user and the password in --db, --db-file or ~/.pgpass, or grant that user its privileges"
		case fault.NotFound:
			return "for a new catalog, start the server, which creates it; otherwise correct --db or --db-file"
		}
		return "correct --db or --db-file; if they are correct, check the log of PostgreSQL"
	case kind == fault.Unavailable:
		return "check the disk, and that this account can read and write " + db + " and its folder"
	case db != c.DataDir.File(app.CatalogFile):
		return "correct --db or --db-file, or replace the file with an intact copy"
	}
	return "restore a backup (waxwing backup restore FILE)"
}

func (c *doctorCmd) music(ctx context.Context) finding {
	f := finding{Check: "music"}
	if len(c.Music) == 0 {
		f.OK, f.Message, f.Fix = true, "no folder configured: the built-in demo library is used",
			"add your music with --music DIR"
		return f
	}
	if info, err := os.Stat(c.S3CredentialsFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		f.Message = fmt.Sprintf("%s is open to other accounts (mode %o)", c.S3CredentialsFile, info.Mode().Perm())
		f.Fix = "chmod 600 " + c.S3CredentialsFile
		return f
	}
	for _, dir := range c.Music {
		if strings.HasPrefix(dir, s3.Scheme) {
			if err := c.checkBucket(ctx, dir); err != nil {
				_, f.Message = explain(err)
				f.Fix = "see docs/storage.md; songs of the bucket stay in the catalog"
				return f
			}
			continue
		}
		if _, err := os.ReadDir(dir); err != nil {
			f.Message, f.Fix = dir+" cannot be read", "check the path and its permissions, or choose another folder with --music"
			return f
		}
		if abs, err := filepath.Abs(string(c.DataDir)); err == nil &&
			strings.HasPrefix(abs+"/", strings.TrimSuffix(dir, "/")+"/") {
			f.Message, f.Fix = "the data folder is inside the music folder "+dir, "move one of the two: --data-dir or --music"
			return f
		}
	}
	f.OK, f.Message = true, strings.Join(c.Music, ", ")
	return f
}

// checkBucket lists the beginning of a bucket.
func (c *doctorCmd) checkBucket(ctx context.Context, name string) error {
	b, err := s3.New(name, c.storageSettings.config())
	if err != nil {
		return settingError("music", "--music: %v", err)
	}
	defer b.Close()
	return b.Check(ctx)
}

func (c *doctorCmd) lyrics(ctx context.Context) finding {
	f := finding{Check: "lyrics", OK: true, Message: "from files only; nothing is looked up"}
	if c.LyricsURL == "" {
		return f
	}
	if err := checkURLPrefix("lyrics-url", c.LyricsURL); err != nil {
		f.OK, f.Message, f.Fix = false, err.Error(), "correct --lyrics-url"
		return f
	}
	server := lrclib.New(c.LyricsURL, "doctor")
	defer server.Close()
	f.Message = "from files, otherwise looked up at " + c.LyricsURL
	if err := server.Ping(ctx); err != nil {
		f.OK, f.Message, f.Fix = false, c.LyricsURL+" does not reply: "+err.Error(),
			"correct --lyrics-url, or remove it; songs whose files have lyrics are not affected"
	}
	return f
}

func (c *doctorCmd) decoders(context.Context) finding {
	f := finding{Check: "decoders", OK: true, Message: "MP3, FLAC, Vorbis, Opus, AAC, ALAC, WAV and AIFF are built in"}
	if _, err := exec.LookPath("ffmpeg"); err == nil && !c.NoFFmpeg {
		f.Message += "; ffmpeg decodes the rest, and converts to Opus and MP3"
	} else {
		f.Fix = "install ffmpeg to play HE-AAC, WMA and other rare formats, and to convert songs to Opus and MP3"
	}
	return f
}
