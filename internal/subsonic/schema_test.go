package subsonic_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// schemas are the objects of replies as the documents of the API describe them: for each its
// fields, with a "!" if they are required. A field is a text unless its name is followed by a
// type: i is an integer of 32 bits, l one of 64, n a number, b a truth value, t a time, an
// uppercase word another object, and [] a list. A + includes another object.
var schemas = map[string]string{
	"Child": "id! parent isDir:b! title! album artist track:i year:i genre coverArt size:l contentType suffix " +
		"duration:i bitRate:i bitDepth:i samplingRate:i channelCount:i path isVideo:b userRating:i " +
		"playCount:l discNumber:i created:t starred:t albumId artistId type=music " +
		"mediaType=song|album|artist bookmarkPosition:l played:t musicBrainzId genres:[]ItemGenre " +
		"artists:[]ArtistID3 displayArtist albumArtists:[]ArtistID3 displayAlbumArtist " +
		"replayGain:ReplayGain explicitStatus=clean|explicit|",
	"ItemGenre":  "name!",
	"ReplayGain": "trackGain:n trackPeak:n albumGain:n albumPeak:n",
	"ArtistID3":  "id! name! coverArt albumCount:i starred:t userRating:i musicBrainzId sortName",
	"Artist":     "id! name! starred:t userRating:i coverArt albumCount:i",
	"AlbumID3": "id! name! artist artistId coverArt songCount:i! duration:i! playCount:l created:t! starred:t year:i " +
		"genre played:t userRating:i genres:[]ItemGenre artists:[]ArtistID3 displayArtist isCompilation:b " +
		"musicBrainzId",
	"Album":            "+AlbumID3 song:[]Child!",
	"ArtistWithAlbums": "+ArtistID3 album:[]AlbumID3!",
	"Artists":          "ignoredArticles! index:[]IndexID3!",
	"IndexID3":         "name! artist:[]ArtistID3!",
	"Indexes":          "ignoredArticles! lastModified:l! index:[]Index!",
	"Index":            "name! artist:[]Artist!",
	"Directory":        "id! parent name! starred:t userRating:i playCount:l played:t child:[]Child!",
	"Genres":           "genre:[]Genre!",
	"Genre":            "value! songCount:i! albumCount:i!",
	"AlbumList":        "album:[]Child!",
	"AlbumList2":       "album:[]AlbumID3!",
	"Songs":            "song:[]Child!",
	"Starred":          "artist:[]Artist! album:[]Child! song:[]Child!",
	"Starred2":         "artist:[]ArtistID3! album:[]AlbumID3! song:[]Child!",
	"Playlist": "id! name! comment owner public:b songCount:i! duration:i! created:t! changed:t! coverArt " +
		"readonly:b",
	"PlaylistWithSongs": "+Playlist entry:[]Child!",
	"Playlists":         "playlist:[]Playlist!",
	"License":           "valid:b!",
	"MusicFolders":      "musicFolder:[]MusicFolder!",
	"MusicFolder":       "id:i! name",
	"Extension":         "name! versions:[]i!",
	"TokenInfo":         "username!",
	"User": "username! scrobblingEnabled:b! adminRole:b! settingsRole:b! downloadRole:b! uploadRole:b! playlistRole:b! " +
		"coverArtRole:b! commentRole:b! podcastRole:b! streamRole:b! jukeboxRole:b! shareRole:b! videoConversionRole:b! " +
		"folder:[]i",
	"ScanStatus":       "scanning:b! count:l",
	"NowPlaying":       "entry:[]NowPlayingEntry!",
	"NowPlayingEntry":  "+Child username! minutesAgo:i! playerId:i! playerName state positionMs:i playbackRate:n",
	"PlayQueue":        "current position:l username! changed:t! changedBy! entry:[]Child!",
	"PlayQueueByIndex": "currentIndex:i position:l username! changed:t! changedBy! entry:[]Child!",
	"Bookmarks":        "bookmark:[]Bookmark!",
	"Bookmark":         "position:l! username! comment created:t! changed:t! entry:Child!",
	"ArtistInfo":       "biography musicBrainzId similarArtist:[]Artist!",
	"ArtistInfo2":      "biography musicBrainzId similarArtist:[]ArtistID3!",
	"AlbumInfo":        "notes",
	"Lyrics":           "value! artist title",
	"LyricsList":       "structuredLyrics:[]StructuredLyrics!",
	"StructuredLyrics": "lang! synced:b! line:[]Line! displayArtist displayTitle offset:i kind cueLine:[]CueLine",
	"Line":             "value! start:i",
	"CueLine":          "index:i! start:i value! cue:[]Cue!",
	"Cue":              "start:i! byteStart:i! byteEnd:i! value!",
	"JukeboxStatus":    "currentIndex:i! playing:b! gain:n! volume:i! position:i",
	"JukeboxPlaylist":  "+JukeboxStatus entry:[]Child!",
	"TranscodeDecision": "canDirectPlay:b! canTranscode:b! transcodeReason:[] errorReason transcodeParams " +
		"sourceStream:StreamDetails transcodeStream:StreamDetails",
	"StreamDetails": "protocol=http! container! codec! audioChannels:i audioBitrate:i audioProfile audioSamplerate:i " +
		"audioBitdepth:i",
	"Nothing":        "",
	"Podcasts":       "channel:[]Nothing!",
	"NewestPodcasts": "episode:[]Nothing!",
	"Stations":       "internetRadioStation:[]Nothing!",
	"Shares":         "share:[]Nothing!",
	"Videos":         "video:[]Nothing!",
	"ChatMessages":   "chatMessage:[]Nothing!",
	"Error":          "code:i! message!",
	"Base":           "status! version! type! serverVersion! openSubsonic:b! xmlns",
}

// replies are the objects that calls reply with.
var replies = map[string]string{
	"ping": "", "getLicense": "license:License!", "getOpenSubsonicExtensions": "openSubsonicExtensions:[]Extension!",
	"tokenInfo": "tokenInfo:TokenInfo!", "getUser": "user:User!", "getScanStatus": "scanStatus:ScanStatus!",
	"startScan": "scanStatus:ScanStatus!", "getMusicFolders": "musicFolders:MusicFolders!",
	"getIndexes": "indexes:Indexes!", "getMusicDirectory": "directory:Directory!", "getArtists": "artists:Artists!",
	"getArtist": "artist:ArtistWithAlbums!", "getAlbum": "album:Album!", "getSong": "song:Child!",
	"getGenres": "genres:Genres!", "getAlbumList": "albumList:AlbumList!", "getAlbumList2": "albumList2:AlbumList2!",
	"getRandomSongs": "randomSongs:Songs!", "getSongsByGenre": "songsByGenre:Songs!", "getStarred": "starred:Starred!",
	"getStarred2": "starred2:Starred2!", "search2": "searchResult2:Starred!", "search3": "searchResult3:Starred2!",
	"getPlaylists": "playlists:Playlists!", "getPlaylist": "playlist:PlaylistWithSongs!",
	"createPlaylist": "playlist:PlaylistWithSongs!", "updatePlaylist": "", "deletePlaylist": "", "star": "",
	"unstar": "", "setRating": "", "scrobble": "", "reportPlayback": "", "getNowPlaying": "nowPlaying:NowPlaying!",
	"savePlayQueue": "", "savePlayQueueByIndex": "", "getPlayQueue": "playQueue:PlayQueue!",
	"getPlayQueueByIndex": "playQueueByIndex:PlayQueueByIndex!", "getBookmarks": "bookmarks:Bookmarks!",
	"createBookmark": "", "deleteBookmark": "", "getArtistInfo": "artistInfo:ArtistInfo!",
	"getArtistInfo2": "artistInfo2:ArtistInfo2!", "getAlbumInfo": "albumInfo:AlbumInfo!",
	"getAlbumInfo2": "albumInfo:AlbumInfo!", "getSimilarSongs": "similarSongs:Songs!",
	"getSimilarSongs2": "similarSongs2:Songs!", "getTopSongs": "topSongs:Songs!", "getLyrics": "lyrics:Lyrics!",
	"getLyricsBySongId": "lyricsList:LyricsList!", "getPodcasts": "podcasts:Podcasts!",
	"getNewestPodcasts":        "newestPodcasts:NewestPodcasts!",
	"getInternetRadioStations": "internetRadioStations:Stations!", "getShares": "shares:Shares!",
	"jukeboxControl":       "jukeboxStatus:JukeboxStatus jukeboxPlaylist:JukeboxPlaylist",
	"getTranscodeDecision": "transcodeDecision:TranscodeDecision!",
	"getVideos":            "videos:Videos!", "getChatMessages": "chatMessages:ChatMessages!",
}

// field is a field of an object.
type field struct {
	kind     string
	list     bool
	required bool
	values   []string // that a text may have; nil: any
}

// fieldsOf returns the fields of an object.
func fieldsOf(spec string) map[string]field {
	fields := map[string]field{}
	for word := range strings.FieldsSeq(spec) {
		if base, ok := strings.CutPrefix(word, "+"); ok {
			for name, f := range fieldsOf(schemas[base]) {
				fields[name] = f
			}
			continue
		}
		word, required := strings.CutSuffix(word, "!")
		f := field{required: required}
		name, values, limited := strings.Cut(word, "=")
		if limited {
			f.values = strings.Split(values, "|")
		}
		name, f.kind, _ = strings.Cut(name, ":")
		f.kind, f.list = strings.CutPrefix(f.kind, "[]")
		fields[name] = f
	}
	return fields
}

// check compares a JSON value with its field and returns what differs.
func (f field) check(at string, v any) (wrong []string) {
	if f.list {
		list, ok := v.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, want a list", at, v)}
		}
		one := f
		one.list = false
		for i, item := range list {
			wrong = append(wrong, one.check(fmt.Sprintf("%s[%d]", at, i), item)...)
		}
		return wrong
	}
	ok := false
	switch f.kind {
	case "":
		text, is := v.(string)
		ok = is && (f.values == nil || slices.Contains(f.values, text))
	case "i", "l":
		n, is := v.(json.Number)
		whole, err := strconv.ParseInt(string(n), 10, 64)
		ok = is && err == nil && (f.kind == "l" || whole >= math.MinInt32 && whole <= math.MaxInt32)
	case "n":
		_, ok = v.(json.Number)
	case "b":
		_, ok = v.(bool)
	case "t":
		text, is := v.(string)
		_, err := time.Parse(time.RFC3339Nano, text)
		ok = is && err == nil
	default:
		return checkObject(at, v, fieldsOf(schemas[f.kind]))
	}
	if !ok {
		return []string{fmt.Sprintf("%s is %v, want the type %q %v", at, v, f.kind, f.values)}
	}
	return nil
}

func checkObject(at string, v any, fields map[string]field) (wrong []string) {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is %T, want an object", at, v)}
	}
	for name, value := range object {
		f, known := fields[name]
		if !known {
			wrong = append(wrong, at+"."+name+" is unknown")
			continue
		}
		wrong = append(wrong, f.check(at+"."+name, value)...)
	}
	for name, f := range fields {
		if _, has := object[name]; f.required && !has {
			wrong = append(wrong, at+"."+name+" is missing")
		}
	}
	return wrong
}

// envelopeOf returns the fields of the reply to a call, failed or not.
func envelopeOf(t testing.TB, call string, failed bool) map[string]field {
	t.Helper()
	spec, known := replies[call]
	if failed || !known {
		spec = "error:Error!"
	}
	return fieldsOf(schemas["Base"] + " " + spec)
}

// decodeJSON decodes a reply in JSON and compares it with the schema.
func decodeJSON(t testing.TB, call, body string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var outer map[string]map[string]any
	if err := d.Decode(&outer); err != nil {
		t.Fatalf("%s: got %.300s, want JSON: %v", call, body, err)
	}
	inner := outer["subsonic-response"]
	if inner == nil || len(outer) != 1 {
		t.Fatalf("%s: got %.300s, want subsonic-response", call, body)
	}
	if wrong := checkObject(call, inner, envelopeOf(t, call, inner["status"] != "ok")); len(wrong) > 0 {
		t.Errorf("%s: the reply differs from the schema: %s", call, strings.Join(wrong[:min(len(wrong), 10)], "; "))
	}
	return inner
}

// decodeXML decodes a reply in XML into what its JSON must be.
func decodeXML(t testing.TB, call, body string) map[string]any {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(body))
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%s: got %.300s, want XML: %v", call, body, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			failed := slices.ContainsFunc(start.Attr, func(a xml.Attr) bool {
				return a.Name.Local == "status" && a.Value == "failed"
			})
			if start.Name.Space != "http://subsonic.org/restapi" {
				t.Errorf("%s: namespace: got %q, want that of Subsonic", call, start.Name.Space)
			}
			got := elementOf(t, d, start, envelopeOf(t, call, failed))
			delete(got, "xmlns")
			if _, err := d.Token(); err == nil {
				_, err = d.Token()
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: XML continues after its root: %v", call, err)
				}
			}
			return got
		}
	}
}

// elementOf converts an element to the object that JSON has.
func elementOf(t testing.TB, d *xml.Decoder, start xml.StartElement, fields map[string]field) map[string]any {
	t.Helper()
	object := map[string]any{}
	for _, a := range start.Attr {
		object[a.Name.Local] = valueOf(t, fields[a.Name.Local].kind, a.Value)
	}
	for name, f := range fields {
		if f.list {
			object[name] = []any{}
		}
	}
	text := ""
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("element %s: %v", start.Name.Local, err)
		}
		switch x := token.(type) {
		case xml.CharData:
			text += string(x)
		case xml.EndElement:
			if f, has := fields["value"]; has && f.required && object["value"] == nil {
				object["value"] = text
			}
			return object
		case xml.StartElement:
			name := x.Name.Local
			f, known := fields[name]
			if !known {
				t.Errorf("element %s: unknown child %s", start.Name.Local, name)
			}
			var value any
			if fields := schemas[f.kind]; fields != "" || f.kind == "Nothing" {
				value = elementOf(t, d, x, fieldsOf(fields))
			} else {
				value = valueOf(t, f.kind, elementText(t, d))
			}
			if f.list {
				object[name] = append(object[name].([]any), value)
			} else {
				object[name] = value
			}
		}
	}
}

func elementText(t testing.TB, d *xml.Decoder) (text string) {
	t.Helper()
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.CharData:
			text += string(x)
		case xml.EndElement:
			return text
		}
	}
}

func valueOf(t testing.TB, kind, text string) any {
	t.Helper()
	switch kind {
	case "i", "l", "n":
		return json.Number(text)
	case "b":
		b, err := strconv.ParseBool(text)
		if err != nil || text != strings.ToLower(text) {
			t.Errorf("truth value: got %q, want true or false", text)
		}
		return b
	}
	return text
}

// sameData compares what XML and JSON carry.
func sameData(t testing.TB, call string, fromXML, fromJSON map[string]any) {
	t.Helper()
	addEmptyLists(fromJSON, fieldsOf(schemas["Base"]+" "+replies[call]))
	if !reflect.DeepEqual(fromXML, fromJSON) {
		a, _ := json.Marshal(fromXML)
		b, _ := json.Marshal(fromJSON)
		t.Errorf("%s: XML and JSON differ:\nXML  %.1500s\nJSON %.1500s", call, a, b)
	}
}

// addEmptyLists adds the lists that an object does not have, because XML has no empty list.
func addEmptyLists(v any, fields map[string]field) {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			addEmptyLists(item, fields)
		}
	case map[string]any:
		for name, f := range fields {
			if f.list && x[name] == nil {
				x[name] = []any{}
			}
			if spec := schemas[f.kind]; spec != "" {
				addEmptyLists(x[name], fieldsOf(spec))
			}
		}
	}
}

// ask sends a call in JSON, XML and JSONP, compares each with the schema and all with each other,
// and returns the reply. Calls that change something are sent in JSON only.
func (h *fixture) ask(t testing.TB, app, call string, values ...string) map[string]any {
	t.Helper()
	q := h.query(app, values...)
	q.Set("f", "json")
	first := h.send(t, call, q)
	got := decodeJSON(t, call, first.body)
	if first.header.Get("Content-Type") != "application/json" || first.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s: headers: got %v, want JSON for every origin", call, first.header)
	}
	if changes[call] || call == "getRandomSongs" || slices.Contains(values, "random") || call == "getNowPlaying" {
		return got
	}
	q.Set("f", "jsonp")
	q.Set("callback", "angular.callbacks._0")
	script := h.send(t, call, q)
	inner, ok := strings.CutPrefix(script.body, "angular.callbacks._0(")
	inner, end := strings.CutSuffix(strings.TrimSpace(inner), ");")
	if !ok || !end || !strings.HasPrefix(script.header.Get("Content-Type"), "application/javascript") {
		t.Errorf("%s: JSONP: got %.200s as %s, want a call", call, script.body, script.header.Get("Content-Type"))
	}
	if again := decodeJSON(t, call, inner); !reflect.DeepEqual(again, got) {
		t.Errorf("%s: JSONP and JSON differ: %.1000s and %.1000s", call, inner, first.body)
	}
	q.Del("f")
	inXML := h.send(t, call+".view", q)
	if !strings.HasPrefix(inXML.header.Get("Content-Type"), "application/xml") {
		t.Errorf("%s: XML: got the type %s", call, inXML.header.Get("Content-Type"))
	}
	fromXML := decodeXML(t, call, inXML.body)
	sameData(t, call, fromXML, decodeJSON(t, call, first.body))
	return got
}

// changes are the calls that change something.
var changes = map[string]bool{
	"jukeboxControl": true,
	"createPlaylist": true, "updatePlaylist": true, "deletePlaylist": true, "star": true, "unstar": true,
	"setRating": true, "scrobble": true, "reportPlayback": true, "savePlayQueue": true, "savePlayQueueByIndex": true,
	"createBookmark": true, "deleteBookmark": true, "startScan": true,
}
