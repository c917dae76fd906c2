package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/audio/output"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

type doctorCmd struct {
	Settings
	JSON bool `name:"json" help:"Print JSON."`
}

// finding is what the doctor has to say about one thing.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Do   string `json:"do"` // what to do about it; "" when all is well
}

func (c *doctorCmd) Run(ctx context.Context, std IO) error {
	checks := []func(context.Context) finding{c.dataFolder, c.playerPort, c.catalogPort, c.sound, c.database, c.music, c.decoders}
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
		if !f.OK {
			sign = "FIX "
		}
		fmt.Fprintf(w, "%s %-13s %s\n", sign, f.What, plain(f.Says))
		if f.Do != "" {
			fmt.Fprintf(w, "     %-13s → %s\n", "", plain(f.Do))
		}
	}
}

func (c *doctorCmd) dataFolder(context.Context) finding {
	f, dir := finding{What: "data folder"}, string(c.DataDir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.OK, f.Says = true, dir+" is not there yet; the first start makes it"
		return f
	case err != nil || !info.IsDir():
		f.Says, f.Do = dir+" is not a folder this account can use", "choose another with --data-dir"
		return f
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		f.Says, f.Do = dir+" cannot be written to", "give this account the folder (chown, chmod u+rwx) or choose another with --data-dir"
		return f
	}
	_ = errors.Join(probe.Close(), os.Remove(probe.Name()))
	if info.Mode().Perm()&0o077 != 0 {
		f.Says, f.Do = fmt.Sprintf("%s is open to other accounts (mode %o)", dir, info.Mode().Perm()), "chmod 700 "+dir
		return f
	}
	f.OK, f.Says = true, dir
	return f
}

func (c *doctorCmd) playerPort(ctx context.Context) finding {
	if err := c.playerSettings.check(); err != nil {
		return finding{What: "player port", Says: err.Error(), Do: "correct --player-addr"}
	}
	return c.port(ctx, "player port", c.PlayerAddr, "--player-addr", func() error {
		_, err := (&client.Player{BaseURL: "http://" + c.PlayerAddr}).Health(ctx)
		return err
	})
}

func (c *doctorCmd) catalogPort(ctx context.Context) finding {
	return c.port(ctx, "catalog port", c.CatalogAddr, "--catalog-addr", func() error {
		return (&client.Catalog{BaseURL: "http://" + c.CatalogAddr}).Ready(ctx)
	})
}

// port finds out whether we could listen at addr or already do.
func (c *doctorCmd) port(ctx context.Context, what, addr, flag string, ours func() error) finding {
	f := finding{What: what}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		_ = ln.Close() // only the question counted
		f.OK, f.Says = true, addr+" is free"
	case errors.Is(err, syscall.EADDRINUSE):
		if ours() == nil {
			f.OK, f.Says = true, "Waxwing is running at "+addr
			break
		}
		f.Says, f.Do = addr+" is taken by another program", "stop it, or choose another port with "+flag
	default:
		f.Says, f.Do = addr+" cannot be listened on: "+err.Error(), "choose another address with "+flag
	}
	return f
}

func (c *doctorCmd) sound(ctx context.Context) finding {
	f := finding{What: "sound"}
	out, err := output.New(c.Output, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Says, f.Do = err.Error(), "choose an output with --output"
		return f
	}
	devices, err := out.Devices(ctx)
	switch {
	case err != nil || len(devices) == 0:
		f.Says, f.Do = "the output “"+c.Output+"” has no device", "start PulseAudio or PipeWire for this account, or use --output auto"
	case devices[0].ID == "null" && c.Output == "auto":
		f.OK = true
		f.Says, f.Do = "no sound server and no card: Waxwing will run in real time, silently", "start PulseAudio or PipeWire to hear something; it is noticed at once"
	default:
		var names []string
		for _, d := range devices {
			names = append(names, d.Name)
		}
		f.OK, f.Says = true, strings.Join(names, ", ")
	}
	return f
}

func (c *doctorCmd) database(ctx context.Context) finding {
	f := finding{What: "database"}
	db, err := c.catalogSettings.database(c.DataDir)
	if err != nil {
		_, f.Says = explain(err)
		f.Do = "correct --db or --db-file"
		return f
	}
	if err := catalog.Check(ctx, db); err != nil {
		kind, _ := fault.Of(err)
		if _, absent := os.Stat(db); kind == fault.NotFound && errors.Is(absent, fs.ErrNotExist) && !catalog.Shared(db) {
			f.OK, f.Says = true, "not there yet; the first start makes it"
			return f
		}
		_, f.Says = explain(err)
		f.Do = c.remedy(db, err)
		return f
	}
	f.OK, f.Says = true, "whole, and of this version"
	return f
}

// remedy is what to do about a fault of catalog.Check. Backups of ours are of the data folder's own catalog alone.
func (c *doctorCmd) remedy(db string, err error) string {
	kind, _ := fault.Of(err)
	switch {
	case kind == fault.Conflict: // its sentence says it
		return "install the newer release"
	case catalog.Shared(db):
		switch kind {
		case fault.Unavailable:
			return "start PostgreSQL, or correct the host and the port in --db or --db-file; the catalog itself is not at fault"
		case fault.Unauthenticated:
			return "correct the user and the password in --db, --db-file or ~/.pgpass, or give that user its rights"
		case fault.NotFound:
			return "if it is to be a new catalog, start the server, which makes it; else correct --db or --db-file"
		}
		return "correct --db or --db-file; if they are right, see the log of PostgreSQL"
	case kind == fault.Unavailable:
		return "check the disk, and that this account may read and write " + db + " and its folder"
	case db != c.DataDir.File(app.CatalogFile):
		return "correct --db or --db-file, or put a good copy of the file in its place"
	}
	return "restore a backup (waxwing backup restore FILE)"
}

func (c *doctorCmd) music(context.Context) finding {
	f := finding{What: "music"}
	if len(c.Music) == 0 {
		f.OK, f.Says, f.Do = true, "no folder named: the built-in demo library plays", "name yours with --music DIR"
		return f
	}
	for _, dir := range c.Music {
		if _, err := os.ReadDir(dir); err != nil {
			f.Says, f.Do = dir+" cannot be read", "check the path and its permissions, or name another with --music"
			return f
		}
		if abs, err := filepath.Abs(string(c.DataDir)); err == nil && strings.HasPrefix(abs+"/", strings.TrimSuffix(dir, "/")+"/") {
			f.Says, f.Do = "the data folder lies within the music folder "+dir, "move one of the two: --data-dir or --music"
			return f
		}
	}
	f.OK, f.Says = true, strings.Join(c.Music, ", ")
	return f
}

func (c *doctorCmd) decoders(context.Context) finding {
	f := finding{What: "decoders", OK: true, Says: "MP3, FLAC, Vorbis, Opus, AAC, ALAC, WAV and AIFF are built in"}
	if _, err := exec.LookPath("ffmpeg"); err == nil && !c.NoFFmpeg {
		f.Says += "; ffmpeg takes the rest"
	} else {
		f.Do = "install ffmpeg if you have HE-AAC, WMA or other rare files"
	}
	return f
}
