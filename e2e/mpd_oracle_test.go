package e2e

import (
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// The oracle is MPD itself: the same files, the same commands, the same replies. What differs on
// purpose is in docs/mpd.md, and here in the words that normalize removes or replaces.

// fieldsThatDiffer are lines that depend on the server and not on the command.
var fieldsThatDiffer = regexp.MustCompile(`^(Added|added|Last-Modified|Format|Composer|OriginalDate|Comment|` +
	`Performer|MUSICBRAINZ_\w+|AlbumArtistSort|ArtistSort|Label|Id|songid|nextsongid|nextsong|playlist|uptime|` +
	`playtime|db_update|elapsed|time|bitrate|audio|mixrampdb|duration|Time|db_playtime|lastloadedplaylist|plugin|` +
	`outputname|updating_db|partition|error|size|type): `)

// normalize returns a reply without what may differ. Songs keep their place; the order of the tags
// of one song does not matter.
func normalize(lines []string) []string {
	var all, block []string
	flush := func() {
		if len(block) > 1 {
			slices.Sort(block[1:])
			all = append(all, slices.Compact(block)...)
		} else {
			all = append(all, block...)
		}
		block = nil
	}
	stopped := slices.Contains(lines, "state: stop")
	for _, line := range lines {
		if fieldsThatDiffer.MatchString(line) || stopped && strings.HasPrefix(line, "song: ") {
			continue
		}
		if strings.HasPrefix(line, "file: ") {
			flush()
		}
		if line, ok := strings.CutPrefix(line, "Date: "); ok && len(line) > 4 {
			block = append(block, "Date: "+line[:4])
			continue
		}
		if len(block) > 0 && strings.HasPrefix(block[0], "file: ") && strings.HasPrefix(line, "directory: ") {
			flush()
		}
		block = append(block, line)
	}
	flush()
	return all
}

// sameFields reduces a reply to the names of its fields, for commands whose values depend on time.
func sameFields(lines []string) []string {
	var names []string
	for _, line := range lines {
		if name, _, ok := strings.Cut(line, ": "); ok && !slices.Contains(names, name) &&
			!fieldsThatDiffer.MatchString(line) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// code returns "OK" or the code and the place of an error, without its text.
func ackCode(final string) string {
	if !strings.HasPrefix(final, "ACK ") {
		return final
	}
	end := strings.Index(final, "}")
	return final[:end+1]
}

// oracles starts both servers over the same folder and returns a client of each.
func oracles(t *testing.T) (ours, theirs *mpdClient) {
	t.Helper()
	testenv.NeedsTool(t, "mpd")
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	ours, theirs = s.mpd(), dialMPD(t, "tcp", realMPD(t, dir))
	ours.ok("setvol 100")
	return ours, theirs
}

func TestMPDRepliesEqualThoseOfMPD(t *testing.T) {
	ours, theirs := oracles(t)
	const ebb, boats, kino = `"Lumen Atlas/Slow Weather/02 Ebb.flac"`,
		`"Various Artists/Juniper Post/01 Paper Boats.opus"`, `"Neon Kōen/Insert Moon/03 Terminus.opus"`
	commands := oracleCommands(ebb, boats, kino)
	different := 0
	for _, command := range commands {
		fieldsOnly := strings.HasPrefix(command, "fields:")
		command = strings.TrimPrefix(command, "fields:")
		got, gotFinal := ours.do(command)
		want, wantFinal := theirs.do(command)
		if ackCode(gotFinal) != ackCode(wantFinal) {
			different++
			t.Errorf("%s\n got %s\nwant %s", command, gotFinal, wantFinal)
			continue
		}
		if fieldsOnly {
			got, want = sameFields(got), sameFields(want)
		} else {
			got, want = normalize(got), normalize(want)
		}
		if !slices.Equal(got, want) {
			different++
			t.Errorf("%s\n got %q\nwant %q", command, got, want)
		}
	}
	t.Logf("%d commands, %d replies differ from those of MPD", len(commands), different)
}

// oracleCommands are the commands of the comparison, in the order in which they are sent.
func oracleCommands(ebb, boats, terminus string) (all []string) {
	add := func(commands ...string) { all = append(all, commands...) }
	// The form of commands.
	add(`foo`, `foo bar "`, `ping "x`, `ping "a"b`, `ping a'b`, `ping x`, `status x`, `play 1 2`, `find`, `list`, `count`,
		`add`, `move 1`, `password`, `idle foo`, `command_list_end`, "command_list_begin\ncommand_list_end",
		"command_list_ok_begin\nping\nping\ncommand_list_end", "command_list_begin\nping\nplay x\nping\ncommand_list_end",
		"command_list_ok_begin\nping\nfoo\ncommand_list_end",
		"command_list_ok_begin\nping\ncommand_list_begin\ncommand_list_end")
	// The database.
	add(`lsinfo`, `lsinfo ""`, `lsinfo /`, `lsinfo "Lumen Atlas"`, `lsinfo "Lumen Atlas/"`,
		`lsinfo "Lumen Atlas/Slow Weather"`,
		`lsinfo "Neon Kōen"`, `lsinfo nope`, `lsinfo "../x"`, `lsinfo "mpd-client://x"`, `lsinfo "file:///etc"`,
		`lsinfo `+ebb,
		`listall`, `listall "Trio Halvmåne"`, `listall nope`, `listall `+ebb, `listallinfo`,
		`listallinfo "Neon Kōen/Insert Moon"`,
		`listallinfo nope`, `lsinfo a b`, `listall a b`)
	for _, tag := range []string{"artist", "album", "albumartist", "title", "track", "genre", "date", "disc", "Artist",
		"foo",
		"file", "name"} {
		add(`list ` + tag)
	}
	add(`list album group albumartist`, `list album group artist`, `list artist group album`,
		`list title group album group artist`, `list album artist "Lumen Atlas"`, `list album "Lumen Atlas"`,
		`list artist album`, `list album group foo`, `list album foo bar`, `list title "(artist == 'Lumen Atlas')"`,
		`list artist "(MUSICBRAINZ_ARTISTID == '')"`, `list album albumartist "Trio Halvmåne" group artist`,
		`list genre artist nobody`, `list title album "Slow Weather" artist "Lumen Atlas"`, `list album group`)
	for _, verb := range []string{"find", "search"} {
		for _, filter := range []string{
			`artist "Lumen Atlas"`, `artist "lumen atlas"`, `artist lumen`, `album Lamplight`, `album lamplight`, `title ebb`,
			`any ebb`, `any moon`, `any EBB`, `genre Ambient`, `genre ambient`, `track 2`, `file ` + ebb, `base "Neon Kōen"`,
			`albumartist "Various Artists"`, `albumartist "Lumen Atlas"`, `artist nobody`, `artist`, `foo bar`, `title añil`,
			`title AÑIL`, `artist "Lumen Atlas" title Ebb`, `artist "Lumen Atlas" track 1`,
			`"(artist == 'Lumen Atlas')"`, `"(artist != 'Lumen Atlas')"`, `"(!(artist == 'Lumen Atlas'))"`,
			`"((artist == 'Lumen Atlas') AND (track == '2'))"`, `"((artist == 'Lumen Atlas') AND (!(track == '2')))"`,
			`"(title contains 'o')"`, `"(title contains 'O')"`, `"(artist =~ '^L.*s$')"`, `"(artist =~ 'atlas')"`,
			`"(base 'Trio Halvmåne')"`, `"(base 'nope')"`, `"(base '../x')"`, `"(file == 'x')"`, `"(file contains 'Moon')"`,
			`"(AudioFormat == '1:1:1')"`, `"(AudioFormat =~ '1:*:*')"`, `"(any contains 'night')"`,
			`"(modified-since '2000-01-01T00:00:00Z')"`, `"(modified-since '2200-01-01T00:00:00Z')"`, `"(modified-since 'x')"`,
			`modified-since 2000-01-01T00:00:00Z`, `"(foo)"`, `"(artist = 'x')"`, `"(artist == x)"`, `"(artist == 'x'"`,
			`"(artist == 'x') y"`, `"(artist =~ '(')"`, `"()"`, `"("`, `"(artist == 'Lumen Atlas' AND track == '2')"`,
			`"(title == \"Ebb\")"`, `"((title == 'Ebb'))"`,
			`artist "Lumen Atlas" window 0:1`, `artist "Lumen Atlas" window 1:`, `artist "Lumen Atlas" window 9:10`,
			`artist "Lumen Atlas" sort title`, `artist "Lumen Atlas" sort -title`, `artist "Lumen Atlas" sort -title window 1:3`,
			`artist "Lumen Atlas" sort foo`, `artist "Lumen Atlas" window x`, `artist "Lumen Atlas" sort track`,
		} {
			add(verb + " " + filter)
		}
	}
	add(`count artist "Lumen Atlas"`, `count artist nobody`, `count group artist`, `count group album`, `count group foo`,
		`count "(artist == 'Lumen Atlas')" group album`, `count foo bar`, `fields:stats`, `readcomments nope`,
		`readpicture nope 0`, `albumart nope 0`, `albumart `+ebb+` 0`, `albumart `+ebb+` 99999999`, `albumart `+ebb+` -1`,
		`albumart `+ebb+` x`, `albumart `+ebb, `albumart "Lumen Atlas/Slow Weather/" 0`,
		`albumart "Lumen Atlas/Slow Weather" 0`, `albumart "Lumen Atlas/Slow Weather/nope" 0`, `albumart "" 0`,
		`albumart "nope/" 0`, `binarylimit 10`, `binarylimit 100`, `albumart `+ebb+` 0`,
		`albumart `+ebb+` 50`,
		`binarylimit 8192`)
	// The queue.
	add(`status`, `currentsong`, `playlistinfo`, `playlist`, `add nope`, `add `+ebb, `addid `+boats,
		`addid `+terminus+` 0`,
		`addid `+terminus+` 9`, `addid nope`, `addid "Lumen Atlas"`, `add "Trio Halvmåne"`, `add `+ebb+` 1`, `playlist`,
		`playlistinfo`, `playlistinfo 0`, `playlistinfo 0:2`, `playlistinfo 5:`, `playlistinfo 50:60`, `playlistinfo 3:1`,
		`playlistinfo x`, `playlistinfo 99`, `playlistid 9999`, `playlistid x`, `plchanges 0`, `plchanges x`, `delete 99`,
		`delete 1`, `playlist`, `delete 0:2`, `playlist`, `deleteid 9999`, `deleteid x`, `move 0 2`, `playlist`, `move 0:2 1`,
		`playlist`, `move 99 0`, `move 0 99`, `moveid 9999 0`, `swap 0 1`, `playlist`, `swap 0 99`, `swapid 9999 1`,
		`rangeid 9999 1:2`, `rangeid 9999 x`, `rangeid x :`, `rangeid 9999`, `addtagid 9999 Title x`, `addtagid x Title x`,
		`addtagid 9999 Foo x`, `addtagid 9999 Title`, `cleartagid 9999`, `cleartagid 9999 Title`, `cleartagid 9999 Foo`,
		`cleartagid`,
		`shuffle 90:99`, `prio 10 0`, `prio 300 0`, `prio x 0`, `prioid 5 9999`, `playlistfind title Ebb`,
		`playlistsearch title ebb`, `playlistfind "(title == 'Ebb')"`, `playlistfind title`, `playlistfind foo bar`,
		`playlistsearch any moon`, `playlistfind title nope`, `findadd artist "Lumen Atlas"`, `searchadd artist trio`,
		`playlist`,
		`findadd artist`, `findadd artist "Neon Kōen" position 0`,
		`searchadd "(artist contains 'NEON')" sort title window 0:1`,
		`playlist`, `add "file:///etc/passwd"`, `add "foo://bar"`, `add ../x`)
	// Playback and options.
	add(`play 99`, `play x`, `playid 9999`, `seek 99 1`, `seekid 9999 1`, `seekcur x`, `seekcur 1`, `next`, `previous`,
		`pause x`, `stop`, `play 1`, `fields:status`, `currentsong`, `pause 1`, `fields:status`, `pause 0`, `pause`, `status`,
		`seekcur 2`, `seekcur +1`, `seekcur -2`, `seek 1 1`, `next`, `currentsong`, `previous`, `currentsong`, `playid`,
		`play`,
		`stop`, `fields:status`, `repeat 1`, `status`, `repeat 2`, `repeat 0`, `random 1`, `status`, `random x`, `random 0`,
		`single 1`, `status`, `single oneshot`, `status`, `single x`, `single 0`, `status`, `consume 1`, `status`,
		`consume 0`,
		`consume x`, `repeat 1`, `single 1`, `status`, `repeat 0`, `single 0`, `status`, `setvol 50`, `getvol`, `status`,
		`setvol 101`, `setvol x`, `setvol -1`, `volume +5`, `getvol`, `volume -10`, `getvol`, `volume x`, `setvol 100`,
		`clearerror`, `replay_gain_mode track`, `replay_gain_status`, `replay_gain_mode foo`, `replay_gain_mode auto`,
		`replay_gain_status`, `fields:outputs`, `enableoutput 0`, `enableoutput 9`, `disableoutput 9`, `toggleoutput 9`,
		`enableoutput x`, `listpartitions`, `partition default`, `partition x`)
	// Stored playlists.
	add(`clear`, `status`, `listplaylists`, `add `+ebb, `add `+boats, `save one`, `save one`, `save "a/b"`,
		`fields:listplaylists`,
		`listplaylist one`, `listplaylistinfo one`, `listplaylist nope`, `listplaylistinfo nope`, `playlistadd one `+terminus,
		`listplaylist one`, `playlistadd two `+terminus, `listplaylist two`, `playlistadd one nope`, `playlistmove one 0 1`,
		`listplaylist one`, `playlistmove one 99 0`, `playlistdelete one 0`, `listplaylist one`, `playlistdelete one 99`,
		`playlistdelete one x`, `playlistclear one`, `listplaylist one`, `rename one three`, `rename nope x`,
		`rename two three`,
		`fields:lsinfo`, `rm nope`, `rm three`, `clear`, `load two`, `load two 0:1`, `load two 0:1 0`, `load nope`,
		`load two x`, `playlist`,
		`searchaddpl found artist "Lumen Atlas"`, `listplaylist found`, `rm found`, `rm two`, `fields:listplaylists`)
	// Stickers and channels.
	add(`sticker get song `+ebb+` x`, `sticker set song `+ebb+` x 5`, `sticker get song `+ebb+` x`,
		`sticker list song `+ebb,
		`sticker find song "" x`, `sticker find song "" x = 5`, `sticker find song "" x > 3`, `sticker find song "" x < 3`,
		`sticker find song "nope" x`, `sticker find song "Neon Kōen" x`, `sticker delete song `+ebb+` x`,
		`sticker delete song `+ebb+` x`, `sticker get song nope x`, `sticker get foo `+ebb+` x`, `sticker foo`, `sticker`,
		`sticker foo song `+ebb, `subscribe chan`, `subscribe chan`, `subscribe "a b"`, `channels`, `sendmessage chan hello`,
		`sendmessage nochan hello`, `readmessages`, `readmessages`, `unsubscribe chan`, `unsubscribe chan`, `channels`)
	// Tags of the connection.
	add(`tagtypes clear`, `tagtypes`, `lsinfo `+ebb, `tagtypes enable Title Artist`, `tagtypes`, `lsinfo `+ebb,
		`tagtypes disable Title`, `lsinfo `+ebb, `tagtypes enable foo`, `tagtypes enable`, `tagtypes foo`, `tagtypes all`,
		`lsinfo `+ebb, `update ../x`, `ping`)
	return all
}

// mpcBattery are commands of mpc, one after another on both servers.
var mpcBattery = []string{
	"", "status", "stats | grep -c .", "ls", "ls Lumen\\ Atlas", "ls nope", "listall", "listall nope", "lsplaylists",
	"add Lumen\\ Atlas", "add nope", "playlist", "playlist -f %file%", "play 2", "queued", "current", "current -f %title%",
	"pause", "status | head -1", "toggle", "next", "current", "prev", "current", "seek 0", "stop", "repeat", "repeat off",
	"random on", "random off", "single on", "single off", "consume on", "consume off", "volume 42", "volume +8",
	"volume -10",
	"volume", "move 1 2", "playlist", "del 1", "playlist", "del 99", "play 1",
	"insert Neon\\ Kōen/Insert\\ Moon/03\\ Terminus.opus",
	"playlist", "crop", "shuffle", "stop", "playlist", "save battery", "lsplaylists", "playlist battery", "load battery",
	"rm battery", "rm battery",
	"load nope", "search artist lumen", "find artist 'Lumen Atlas'", "find artist lumen", "list artist",
	"list album artist 'Lumen Atlas'",
	"searchadd title ebb", "findadd title Ebb", "search title nothing", "outputs | grep -c enabled", "enable 1",
	"replaygain album",
	"replaygain", "replaygain auto", "sticker Lumen\\ Atlas/Slow\\ Weather/02\\ Ebb.flac set a b",
	"sticker Lumen\\ Atlas/Slow\\ Weather/02\\ Ebb.flac get a", "sticker Lumen\\ Atlas/Slow\\ Weather/02\\ Ebb.flac list",
	"sticker '' find a", "channels", "tab Lumen", "clear", "playlist", "version | grep -c version", "play 99", "nope",
}

func TestMPCPrintsTheSameAsWithMPD(t *testing.T) {
	testenv.NeedsTool(t, "mpc", "mpd", "sh")
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	theirs := realMPD(t, dir)
	s.mpd().ok("setvol 100")
	host, port, err := net.SplitHostPort(theirs)
	if err != nil {
		t.Fatal(err)
	}
	run := func(command string, env ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "mpc "+command)
		cmd.Env = append(cmd.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return mpcTimes.ReplaceAllString(string(out), "TIME"), err
	}
	for _, command := range mpcBattery {
		if command == "current" || command == "pause" {
			time.Sleep(20 * time.Millisecond) // MPD starts a song in the background
		}
		got, gotErr := run(command, "MPD_HOST="+s.app.MPDSocket)
		want, wantErr := run(command, "MPD_HOST="+host, "MPD_PORT="+port)
		if got != want || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("mpc %s\n got %v %s\nwant %v %s", command, gotErr, got, wantErr, want)
		}
	}
	t.Logf("%d commands of mpc", len(mpcBattery))
}

// mpcTimes are the positions and lengths that mpc prints; those of lossy files differ by the
// samples that MPD does not trim.
var mpcTimes = regexp.MustCompile(`\d+:\d\d(/\d+:\d\d \(\d+%\))?`)
