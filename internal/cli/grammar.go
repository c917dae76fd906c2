package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// grammar is the table of all commands.
type grammar struct {
	Version kong.VersionFlag `name:"version" short:"v" help:"Print the version."`

	Up      upCmd      `cmd:"" group:"run" help:"Start catalog and player (the default)."`
	Catalog catalogCmd `cmd:"" group:"run" help:"Start the catalog alone."`
	Player  playerCmd  `cmd:"" group:"run" help:"Start the player alone, with a catalog elsewhere."`

	Open     openCmd     `cmd:"" group:"remote" help:"Open the web player in a browser."`
	Play     playCmd     `cmd:"" group:"remote" help:"Play, or play what a name matches best."`
	Pause    pauseCmd    `cmd:"" group:"remote" help:"Pause playback."`
	Stop     stopCmd     `cmd:"" group:"remote" help:"Stop playback and release the sound output."`
	Toggle   toggleCmd   `cmd:"" group:"remote" help:"Toggle between pause and play."`
	Next     nextCmd     `cmd:"" group:"remote" help:"Skip to the next track."`
	Previous previousCmd `cmd:"" group:"remote" aliases:"prev" help:"Go back to the previous track."`
	Seek     seekCmd     `cmd:"" group:"remote" help:"Seek: 1:23, 90s, +10s, -10s, 50%."`
	Status   statusCmd   `cmd:"" group:"remote" help:"Show the current track."`
	Lyrics   lyricsCmd   `cmd:"" group:"remote" help:"Print the lyrics of the current track."`
	Like     likeCmd     `cmd:"" group:"remote" help:"Like the current track, or what a name matches."`
	Unlike   unlikeCmd   `cmd:"" group:"remote" help:"Remove a like."`
	Rate     rateCmd     `cmd:"" group:"remote" help:"Rate the current track, or what a name matches, from 0 to 5."`
	Queue    queueCmd    `cmd:"" group:"remote" help:"Show and change the queue."`
	Volume   volumeCmd   `cmd:"" group:"remote" help:"Show or set the volume: 40, +5, -5."`
	Shuffle  shuffleCmd  `cmd:"" group:"remote" help:"Show or set shuffle: on, off."`
	Repeat   repeatCmd   `cmd:"" group:"remote" help:"Show or set repeat: off, one, all, on."`

	StopAfter stopAfterCmd `cmd:"" group:"remote" help:"Show or set whether to pause after each track: off, on, once."`
	Consume   consumeCmd   `cmd:"" group:"remote" help:"Show or set whether played items leave the queue: off, on, once."`

	Output outputCmd `cmd:"" group:"remote" help:"List audio devices, or switch to one."`
	Pair   pairCmd   `cmd:"" group:"remote" help:"List, approve or deny apps that request a token."`
	Search searchCmd `cmd:"" group:"remote" help:"Search songs, artists, albums and playlists."`

	History historyCmd `cmd:"" group:"remote" help:"List what you played, newest first."`
	Top     topCmd     `cmd:"" group:"remote" help:"List what you played most."`

	Scan   scanCmd     `cmd:"" group:"admin" help:"Update the catalog from its music folders."`
	Key    keyCmd      `cmd:"" group:"admin" help:"Create, list, revoke and rotate keys of the catalog API."`
	User   userCmd     `cmd:"" group:"admin" help:"Create, list and change users."`
	Backup backupCmd   `cmd:"" group:"admin" help:"Create, verify and restore backups."`
	DB     dbCmd       `cmd:"" name:"db" group:"admin" help:"Move the catalog between SQLite and PostgreSQL."`
	Lists  playlistCmd `cmd:"" name:"playlist" group:"admin" help:"Create, change, import and export playlists."`
	Token  tokenCmd    `cmd:"" group:"admin" help:"Create, list and revoke tokens of the control API."`
	Audit  auditCmd    `cmd:"" group:"admin" help:"Print the audit log: changes and denied requests."`
	Ready  readyCmd    `cmd:"" group:"admin" help:"Check whether a server is ready, for scripts and containers."`
	Doctor doctorCmd   `cmd:"" group:"admin" help:"Check the configuration of this machine and suggest fixes."`
	Conf   configCmd   `cmd:"" name:"config" group:"admin" help:"Show the configuration."`

	Licences   licencesCmd   `cmd:"" group:"admin" help:"Print the licences of the software in this program."`
	Man        manCmd        `cmd:"" hidden:"" help:"Print the manual page."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print values for the completion scripts."`
	Completion completionCmd `cmd:"" group:"admin" help:"Print a completion script for bash, zsh or fish."`
}

type configCmd struct {
	Show configShow `cmd:"" default:"withargs" help:"Print every setting, its value and where it comes from."`
}

var groups = []kong.Group{
	{Key: "run", Title: "Run"},
	{Key: "remote", Title: "Remote control of a running player"},
	{Key: "admin", Title: "Administration (with the server running or not)"},
}

const description = `A music player daemon and library server in one binary.`

const exitCodes = `
Exit codes:
  0  success   1  failure   2  invalid command line or configuration
  3  no server is running at the address   4  the token or key lacks the permission
`

// help prints kong's help, then the examples of the command.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	var words []string
	for n := ctx.Selected(); n != nil && n.Type == kong.CommandNode; n = n.Parent {
		words = append([]string{n.Name}, words...)
	}
	name := strings.Join(words, " ")
	if lines := examples[name]; len(lines) > 0 {
		fmt.Fprintln(ctx.Stdout, "\nExamples:")
		for _, line := range lines {
			fmt.Fprintln(ctx.Stdout, "  "+line)
		}
	}
	if name == "" {
		fmt.Fprint(ctx.Stdout, exitCodes)
	}
	return nil
}
