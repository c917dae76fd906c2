package main

import "slices"

// row is a promise and the attack or fault that it is tried against.
type row struct{ id, name, tried, asked, holds string }

// rows are all there are, with the least that each asks for; a page that lacks one is not whole.
var rows = []row{
	{"S1", "Host", "foreign, misspelled and rebound names on every route of both servers, over every kind of bind", "40 names or more, every route, 3 binds", "421 before anything else is looked at"},
	{"S2", "Origin", "every method from every kind of web page, with and without a valid credential", "8 origins × 5 fetch sites × 5 content types × 3 credentials", "nothing changed, nothing granted"},
	{"S3", "Browser", "a hostile page in a real Chromium, DNS rebinding included", "every way by which a browser sends a request", "0 commands carried out, 0 bytes read"},
	{"S4", "Leaks", "canary secrets through a whole run at debug level, then searched for in every form", "a canary in place of each secret", "in no log, database, header, page address or process list"},
	{"S5", "Near misses", "mutated and contradictory credentials", "10,000 mutated credentials, 12 conflicting forms", "0 accepted; guessing is slowed down, the owner never locked out"},
	{"S6", "Scopes", "every operation of both API documents with every kind of credential", "every operation × 6 credentials", "default deny; what is another's does not exist"},
	{"S7", "Revocation", "a credential revoked under its open event and audio streams", "100 event and 100 audio streams", "all closed within a second"},
	{"S8", "Bind", "wildcard and public addresses for the control API", "wildcards and public addresses", "refused without --allow-remote, with a sentence"},
	{"B1", "Parameters", "hostile texts as every parameter of every route, on SQLite and PostgreSQL", "every parameter × 200 payloads × 2 engines", "no error of ours, the same answer from both"},
	{"B2", "Paths", "hostile file names, symbolic links, links swapped in while files are opened", "60 names, 8 layouts of links, a race", "nothing outside of the music folder is opened"},
	{"B4", "Tags", "script and escape sequences in every tag and file name of every format", "30 payloads × every tag × every format", "nothing runs in the browser, nothing reaches the terminal"},
	{"B5", "Images", "decompression bombs, polyglots and broken pictures as covers", "bombs, polyglots, hostile sizes", "bounded memory and time, cache within its quota"},
	{"D1", "Fuzzing", "arbitrary bytes for every reader of what strangers write", "12 targets or more", "no panic, no input costs over 256 MB or 2 s"},
	{"D2", "Bad library", "damaged files of every format, scanned and played through", "5,000 files", "the scan ends, the next track plays, the process lives"},
	{"R1", "Kill", "kill -9 at random moments while all kinds of things are written", "100 kills, long form 2,000", "nothing acknowledged is lost"},
	{"R2", "Power", "unsynced writes dropped and torn under the state files", "200 cuts", "every file is old or new, never torn"},
	{"R3", "Disk", "full, failing, read-only and forbidden disks", "4 errors × scan, queue, tokens, covers", "503 and one clear line; playback goes on; heals by itself"},
	{"R4", "Migrations", "every past schema on both engines, killed half-way", "every past schema × 2 engines", "backup first, a second run succeeds, no downgrade"},
	{"R5", "Slow clients", "half requests, stalled streams, deaf listeners by the hundred", "500 half headers, 500 one-byte bodies, 200 stalled and 200 deaf streams", "other clients notice nothing"},
	{"R6", "Load", "a large catalog under streams, listeners, requests and a scan", "1,000,000 songs, 100 range and 500 event streams, 200 requests a second", "no 5xx, no underrun, bounded memory"},
	{"R8", "Sound", "devices and sound servers that vanish, stall and come back", "5 faults", "state told within a second, playback resumes where it was"},
	{"R9", "Model", "random histories of many clients against a simple model", "10,000 histories under the race detector", "equal to the model, position monotone"},
	{"R10", "Database", "PostgreSQL killed, restarted, slow, out of connections; the catalog killed under a playing player", "4 faults of the database, the catalog killed", "503 with Retry-After, healed in 5 s, nothing written twice, the track plays on"},
}

func isRow(id string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.id == id })
}

// fuzzRow is the row that fuzzing reports to, besides its tests.
const fuzzRow = "D1"

// racedRow is the row whose package runs under the race detector.
const racedRow = "R9"
