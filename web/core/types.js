// The types of the two APIs, as in api/player.yaml and api/catalog.yaml.

/**
 * @typedef {{id: string, title: string, artist: string, album: string, cover_url: string,
 *   thumbnail_url: string, duration: number, position: number, is_playing: boolean}} Track
 * @typedef {"off" | "one" | "all" | "on"} Repeat
 * @typedef {{version: number, track: Track | null, is_playing: boolean, shuffle: boolean,
 *   repeat: Repeat, volume: number, muted: boolean, position: number, timestamp: string,
 *   rate: 0 | 1, queue_version: number, queue_length: number, current_index: number,
 *   current_item_id: number | null, state: "playing" | "paused" | "stopped",
 *   stop_after: "off" | "on" | "once", consume: "off" | "on" | "once",
 *   stream: {live: boolean, station: string | null, title: string | null} | null,
 *   output: string | null, error: string | null, liked: boolean | null,
 *   rating: number | null}} State
 * @typedef {{revision: string | null, reachable: boolean}} CatalogState
 * @typedef {{id: string, title: string, artist: string, duration: number, cover_url: string,
 *   thumbnail_url: string}} QueueItem
 * @typedef {{queue: QueueItem[], current_index: number}} Queue
 * @typedef {{id: string, username: string, name: string}} Ref
 * @typedef {{liked: boolean, rating: number, play_count: number, last_played_at: string | null}} Me
 * @typedef {{sample_rate: number | null, channels: number | null,
 *   bit_depth: number | null}} SongFile
 * @typedef {{id: string, title: string, artist: string | null, artist_id: string | null,
 *   artists: Ref[], album: string | null, album_id: string | null, track_number: number | null,
 *   disc_number: number | null, duration: number, year: number | null, genre: string | null,
 *   explicit: boolean | null, cover_url: string, thumbnail_url: string, format: string,
 *   bitrate: number | null, play_count: number, available: boolean, position?: number, me?: Me,
 *   file?: SongFile}} Song
 * @typedef {{id: string, title: string, artist: string | null, artist_id: string | null,
 *   artists: Ref[], year: number | null, compilation: boolean, song_count: number,
 *   duration: number, cover_url: string, thumbnail_url: string, me?: Me}} Album
 * @typedef {{id: string, username: string, name: string, bio: string | null, image_url: string,
 *   song_count: number, album_count: number, play_count: number, me?: Me}} Artist
 * @typedef {{id: string, name: string, description: string | null, owner: Ref, public: boolean,
 *   song_count: number, duration: number, cover_url: string, thumbnail_url: string, me?: Me,
 *   rules?: Rules}} Playlist
 * @typedef {{field: string, op: string, value: unknown}} Rule
 * @typedef {{match: "all" | "any", rules: (Rule | RuleGroup)[]}} RuleGroup
 * @typedef {RuleGroup & {sort?: string, order?: string, limit?: number}} Rules
 * @typedef {{play_id: string, played_at: string, source: string | null, song: Song}} Play
 * @typedef {{name: string, song_count: number, album_count: number}} Genre
 * @typedef {{year: number, song_count: number, album_count: number}} Year
 * @typedef {{start: number | null, text: string,
 *   words?: {start: number, text: string}[]}} LyricLine
 * @typedef {{lang: string | null, synced: boolean, offset: number, lines: LyricLine[]}} Lyrics
 * @typedef {{query: string, songs: Song[], artists: Artist[], albums: Album[],
 *   playlists: Playlist[]}} Found
 * @typedef {{name: string, code: string, permissions: string[], expires_at: string,
 *   request: string}} PairRequest
 * @typedef {{id: string, name: string, permissions: string[], origin: string | null,
 *   created_at: string, expires_at: string | null, idle_expires_in: number | null,
 *   last_used_at: string | null, current: boolean}} Token
 * @typedef {{id: string, name: string, owner: Ref, permissions: string[], app: boolean,
 *   created_at: string, expires_at: string | null, last_used_at: string | null,
 *   rotated_at: string | null, current: boolean}} Key
 * @typedef {{url: string | null, advice: string | null}} AppAddress
 * @typedef {{secret: string, key: Key, link?: {url: string, qr: string[]}}} KeyWithSecret
 * @typedef {{id: string, name: string, active: boolean}} Output
 * @typedef {{running: boolean, files_found: number, files_done: number, songs_added: number,
 *   songs_changed: number, songs_missing: number, problems: number,
 *   finished_at: string | null}} Scan
 */

export {};
