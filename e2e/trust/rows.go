package main

import (
	"slices"

	"waxwing/internal/testenv"
)

// row is a row of docs/trust.md.
type row struct {
	id       testenv.Requirement
	name     string
	tried    string // the attacks or faults
	required string // the least that has to be tried
	expected string
}

// rows lists every row of the page. A row without a test is shown as not tested.
var rows = []row{
	{
		testenv.HostHeaders, "Host headers",
		"foreign, misspelled and rebound names on every route of both servers, on every kind of bind address",
		"40 names, every route, 3 bind addresses",
		"421 before the request is processed",
	},
	{
		testenv.WebOrigins, "Web origins",
		"every method from every kind of web page, with and without a valid credential",
		"8 origins × 5 fetch sites × 5 content types × 3 credentials",
		"nothing changed, nothing granted",
	},
	{
		testenv.HostilePages, "Hostile pages",
		"a hostile page in Chromium, including DNS rebinding",
		"every way a browser can send a request",
		"0 commands executed, 0 bytes read",
	},
	{
		testenv.SecretLeaks, "Secret leaks",
		"canary secrets used in a whole run at debug level, then searched for in every encoding",
		"a canary for each secret",
		"in no log, database, header, page address or process list",
	},
	{
		testenv.WrongCredentials, "Wrong credentials",
		"mutated and contradictory credentials",
		"10,000 mutated credentials, 12 conflicting combinations",
		"0 accepted; guessing is rate-limited, the owner is never locked out",
	},
	{
		testenv.Scopes, "Scopes",
		"every operation of both API documents with every kind of credential",
		"every operation × 6 credentials",
		"denied by default; data of other users looks nonexistent",
	},
	{
		testenv.Revocation, "Revocation",
		"a credential revoked while its event and audio streams are open",
		"100 event and 100 audio streams",
		"all closed within a second",
	},
	{
		testenv.OpenBinds, "Open binds",
		"wildcard and public addresses for the control API",
		"wildcard and public addresses",
		"refused without --allow-remote, with an explanation",
	},
	{
		testenv.LocalAccounts, "Local accounts",
		"another account of the machine: process lists, the port of a killed server, sockets, data and temporary files",
		"`waxwing open` and every command",
		"no token, claim or key is readable; commands connect only to the owner's server",
	},
	{
		testenv.Escalation, "Escalation",
		"every way to create, approve, rotate or revoke a credential, with every kind of caller",
		"every path × callers × lifetimes × permissions",
		"nothing is stronger or lives longer than its maker; the key in use cannot be rotated or revoked",
	},
	{
		testenv.Probing, "Probing",
		"guesses of names, hashes and ids by web pages and by clients without a credential",
		"covers, users, playlists, metrics; 2,000 guesses by clients and by a page",
		"nothing about the library can be learned",
	},
	{
		testenv.Floods, "Floods",
		"idle connections, event streams and pairing requests, with a limit of 4,096 open files",
		"15,000 connections, 8,000 streams of one token",
		"the owner is served within 100 ms (fails above 3 s, then 1 s: other work may delay it), state saved, bounded memory",
	},
	{
		testenv.AuditLog, "Audit log",
		"denied requests from many addresses, with hostile fields",
		"100,000 requests",
		"every credential event stays in the log",
	},
	{
		testenv.StreamAddresses, "Stream addresses",
		"URLs, redirects, playlists and names that lead to loopback, private, link-local and own addresses",
		"50 addresses, 30 ways to write a URL, redirects, playlists, DNS rebinding",
		"0 connections to such an address, unless the operator allows it",
	},
	{
		testenv.Parameters, "Parameters",
		"hostile strings as every parameter of every route, on SQLite and PostgreSQL",
		"every parameter × 200 payloads × 2 engines",
		"no 5xx, the same response from both engines",
	},
	{
		testenv.Paths, "Paths",
		"hostile file names, symbolic links, links swapped in while files are opened",
		"60 names, 8 layouts of links, a race",
		"no file outside the music folders is opened",
	},
	{
		testenv.ScriptsInTags, "Scripts in tags",
		"scripts and escape sequences in every tag and file name of every format",
		"30 payloads × every tag × every format",
		"nothing is executed in the browser, nothing reaches the terminal",
	},
	{
		testenv.Images, "Images",
		"decompression bombs, polyglots and broken images as covers",
		"bombs, polyglots, extreme sizes",
		"bounded memory and time, cache within its quota",
	},
	{
		testenv.Fuzzing, "Fuzzing",
		"arbitrary bytes for every parser of untrusted data",
		"12 targets, each once for 5 minutes",
		"no panic, no input costs more than 256 MB or 2 s",
	},
	{
		testenv.DamagedFiles, "Damaged files",
		"damaged files of every format, scanned and played",
		"5,000 files",
		"the scan ends, the next track plays, the process survives",
	},
	{
		testenv.HostileCatalogs, "Hostile catalogs",
		"a catalog server with huge strings and pages, endless media, false sizes, slow and changing responses",
		"each of them",
		"bounded memory, disk space and time; playback of known tracks continues",
	},
	{
		testenv.PublicSuites, "Public test suites",
		"files of public decoder and tag test suites, decoded and scanned",
		"every suite that can be obtained",
		"exact or within one LSB of the reference, the true length, a clear message for faulty files",
	},
	{
		testenv.Kills, "Kills",
		"kill -9 at random times during all kinds of writes",
		"100 kills, long form 2,000",
		"no acknowledged write is lost",
	},
	{
		testenv.PowerLoss, "Power loss",
		"unsynced writes dropped and torn below the state files",
		"200 cuts",
		"every file is old or new, never torn",
	},
	{
		testenv.FailingDisks, "Failing disks",
		"full, failing, read-only and forbidden disks",
		"4 errors × scan, queue, tokens, covers",
		"503 and one clear line; playback continues; automatic recovery",
	},
	{
		testenv.Migrations, "Migrations",
		"every past schema on both engines, killed half-way",
		"every past schema × 2 engines",
		"backup first, a second run succeeds, no downgrade",
	},
	{
		testenv.SlowClients, "Slow clients",
		"half requests, stalled streams and clients that do not read, by the hundred",
		"500 half headers, 500 one-byte bodies, 200 stalled and 200 unread streams",
		"other clients are not affected",
	},
	{
		testenv.Load, "Load",
		"a large catalog under streams, listeners, requests and a scan",
		"1,000,000 songs, 100 range and 500 event streams, 200 requests a second",
		"no 5xx, no underrun, bounded memory",
	},
	{
		testenv.AudioLoss, "Audio loss",
		"devices and sound servers that vanish, stall and return",
		"5 faults",
		"reported within a second, playback resumes at its position",
	},
	{
		testenv.Model, "Model",
		"random histories of many clients against a simple model",
		"10,000 histories under the race detector",
		"equal to the model, position monotonic",
	},
	{
		testenv.DatabaseLoss, "Database loss",
		"PostgreSQL killed, restarted, slow, out of connections; the catalog killed during playback",
		"4 database faults, the catalog killed",
		"503 with Retry-After, recovery in 5 s, nothing written twice, the track plays on",
	},
	{
		testenv.Backups, "Backup and restore",
		"backups during all kinds of writes, a restore killed at every system call, sparse and huge archives",
		"every system call of a restore",
		"a backup reported as good restores; data is old or new, never mixed; revoked stays revoked",
	},
	{
		testenv.ObjectStorage, "Object storage",
		"a storage that is slow, silent, killed, cut off during a listing, a scan or a song, or refuses credentials",
		"every fault during listing, reading and serving",
		"no song lost, no byte wrong; 503 with a sentence; healed within 5 s",
	},
}

func isRow(id testenv.Requirement) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.id == id })
}
