package main

import "slices"

// row is a promise and the attack or fault that it is tried against.
type row struct{ id, name, tried, holds string }

// rows are all there are; a page that lacks one is not whole.
var rows = []row{
	{"S1", "Host", "foreign, misspelled and rebound names on every route of both servers, over every kind of bind", "421 before anything else is looked at"},
	{"S2", "Origin", "every method from every kind of web page, with and without a valid credential", "nothing changed, nothing granted"},
	{"S3", "Browser", "a hostile page in a real Chromium, DNS rebinding included", "0 commands carried out, 0 bytes read"},
	{"S4", "Leaks", "canary secrets through a whole run at debug level, then searched for in every form", "in no log, database, header, page address or process list"},
	{"S5", "Near misses", "mutated and contradictory credentials", "0 accepted; guessing is slowed down, the owner never locked out"},
	{"S6", "Scopes", "every operation of both API documents with every kind of credential", "default deny; what is another's does not exist"},
	{"S7", "Revocation", "a credential revoked under its open event and audio streams", "all closed within a second"},
	{"S8", "Bind", "wildcard and public addresses for the control API", "refused without --allow-remote, with a sentence"},
	{"B1", "Parameters", "hostile texts as every parameter of every route, on SQLite and PostgreSQL", "no error of ours, the same answer from both"},
	{"B2", "Paths", "hostile file names, symbolic links, links swapped in while files are opened", "nothing outside of the music folder is opened"},
	{"B4", "Tags", "script and escape sequences in every tag and file name of every format", "nothing runs in the browser, nothing reaches the terminal"},
	{"B5", "Images", "decompression bombs, polyglots and broken pictures as covers", "bounded memory and time, cache within its quota"},
	{"D1", "Fuzzing", "arbitrary bytes for every reader of what strangers write", "no panic, no input costs over 256 MB or 2 s"},
	{"D2", "Bad library", "damaged files of every format, scanned and played through", "the scan ends, the next track plays, the process lives"},
	{"R1", "Kill", "kill -9 at random moments while all kinds of things are written", "nothing acknowledged is lost"},
	{"R2", "Power", "unsynced writes dropped and torn under the state files", "every file is old or new, never torn"},
	{"R3", "Disk", "full, failing, read-only and forbidden disks", "503 and one clear line; playback goes on; heals by itself"},
	{"R4", "Migrations", "every past schema on both engines, killed half-way", "backup first, a second run succeeds, no downgrade"},
	{"R5", "Slow clients", "half requests, stalled streams, deaf listeners by the hundred", "other clients notice nothing"},
	{"R6", "Load", "a large catalog under streams, listeners, requests and a scan", "no 5xx, no underrun, bounded memory"},
	{"R8", "Sound", "devices and sound servers that vanish, stall and come back", "state told within a second, playback resumes where it was"},
	{"R9", "Model", "random histories of many clients against a simple model", "equal to the model, position monotone"},
	{"R10", "Database", "PostgreSQL killed, restarted, slow, out of connections; the catalog killed under a playing player", "503 with Retry-After, healed in 5 s, nothing written twice, the track plays on"},
}

func isRow(id string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.id == id })
}

// fuzzRow is the row that fuzzing reports to, besides its tests.
const fuzzRow = "D1"
