-- +goose Up
-- Times are milliseconds since 1970, durations are milliseconds, booleans are 0 or 1.
-- num is a row's internal number; id is its public identifier. Neither ever changes.

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES
    ('revision', 1), ('songs', 0), ('songs_order', 0), ('artists_order', 0),
    ('albums_order', 0), ('playlists_order', 0), ('keys', 0);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE covers (
    hash   TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    root   BLOB,
    path   BLOB,
    seed   TEXT
) WITHOUT ROWID;

CREATE TABLE users (
    num        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    username   TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    bio        TEXT,
    cover      TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE keys (
    num          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    owner        INTEGER REFERENCES users (num),
    permissions  TEXT NOT NULL,
    rate         REAL,
    burst        INTEGER,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER,
    rotated_at   INTEGER,
    revoked_at   INTEGER
);

CREATE TABLE artists (
    num         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    username    TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    sort_key    TEXT NOT NULL,
    musicbrainz TEXT UNIQUE,
    bio         TEXT,
    cover       TEXT NOT NULL,
    song_count  INTEGER NOT NULL,
    album_count INTEGER NOT NULL,
    play_count  INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);
CREATE INDEX artists_by_name ON artists (name_key);
CREATE INDEX artists_listed ON artists (sort_key, id) WHERE song_count > 0;

CREATE TABLE albums (
    num         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    album_key   TEXT NOT NULL UNIQUE,
    title       TEXT NOT NULL,
    sort_key    TEXT NOT NULL,
    artist      TEXT NOT NULL,
    artists     TEXT NOT NULL,
    year        INTEGER,
    compilation INTEGER NOT NULL,
    cover       TEXT NOT NULL,
    song_count  INTEGER NOT NULL,
    duration    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);
CREATE INDEX albums_listed ON albums (sort_key, id) WHERE song_count > 0;

CREATE TABLE album_artists (
    album  INTEGER NOT NULL,
    artist INTEGER NOT NULL,
    PRIMARY KEY (album, artist)
) WITHOUT ROWID;
CREATE INDEX album_artists_by_artist ON album_artists (artist, album);

-- num follows (created_at, id) and has no gaps, so that a page at any depth is a range of nums.
-- facts is the content of the tags as JSON for the API; the other columns change independently of the
-- tags or are used in queries.
CREATE TABLE songs (
    num        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    facts      TEXT NOT NULL,
    title      TEXT NOT NULL,
    album      INTEGER,
    disc       INTEGER NOT NULL,
    track      INTEGER NOT NULL,
    duration   INTEGER NOT NULL,
    cover      TEXT NOT NULL,
    format     TEXT NOT NULL,
    bitrate    INTEGER,
    available  INTEGER NOT NULL,
    play_count INTEGER NOT NULL,
    heat       REAL,
    track_gain REAL,
    track_peak REAL,
    album_gain REAL,
    album_peak REAL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX songs_gone ON songs (num) WHERE available = 0;
CREATE INDEX songs_by_album ON songs (album, disc, track, id) WHERE available = 1;
CREATE INDEX songs_trending ON songs (heat, num) WHERE available = 1 AND heat IS NOT NULL;

-- shelf orders an artist's songs by year, album, disc and track.
CREATE TABLE song_artists (
    song     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    artist   INTEGER NOT NULL,
    role     TEXT NOT NULL,
    name     TEXT NOT NULL,
    listed   INTEGER NOT NULL,
    shelf    TEXT NOT NULL,
    PRIMARY KEY (song, position)
) WITHOUT ROWID;
CREATE INDEX song_artists_by_artist ON song_artists (artist, shelf, song) WHERE listed = 1;

CREATE TABLE roots (
    num  INTEGER PRIMARY KEY,
    name BLOB NOT NULL UNIQUE
);

CREATE TABLE files (
    root    INTEGER NOT NULL,
    path    BLOB NOT NULL,
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,
    song    INTEGER,
    missing INTEGER NOT NULL,
    problem TEXT,
    PRIMARY KEY (root, path)
) WITHOUT ROWID;
CREATE INDEX files_by_song ON files (song);

CREATE TABLE identities (
    kind  TEXT NOT NULL,
    value TEXT NOT NULL,
    song  INTEGER NOT NULL,
    PRIMARY KEY (kind, value, song)
) WITHOUT ROWID;
CREATE INDEX identities_by_song ON identities (song);

CREATE TABLE playlists (
    num         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    sort_key    TEXT NOT NULL,
    description TEXT,
    owner       INTEGER NOT NULL REFERENCES users (num),
    public      INTEGER NOT NULL,
    song_count  INTEGER NOT NULL,
    duration    INTEGER NOT NULL,
    cover       TEXT NOT NULL,
    source      TEXT UNIQUE,
    version     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);
CREATE INDEX playlists_listed ON playlists (sort_key, id, public, owner);
CREATE INDEX playlists_by_owner ON playlists (owner, sort_key, id, public);

CREATE TABLE playlist_entries (
    playlist INTEGER NOT NULL REFERENCES playlists (num) ON DELETE CASCADE,
    rank     INTEGER NOT NULL,
    song     INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (playlist, rank)
) WITHOUT ROWID;
CREATE INDEX playlist_entries_by_song ON playlist_entries (song);

CREATE TABLE plays (
    num         INTEGER PRIMARY KEY,
    song        INTEGER NOT NULL,
    listener    INTEGER NOT NULL,
    played_at   INTEGER NOT NULL,
    counted     INTEGER NOT NULL,
    idempotency TEXT,
    received_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX plays_once ON plays (listener, idempotency) WHERE idempotency IS NOT NULL;
CREATE INDEX plays_recent ON plays (song, listener, played_at);

CREATE TABLE tombstones (
    id        TEXT PRIMARY KEY,
    gone_at   INTEGER NOT NULL,
    successor TEXT
) WITHOUT ROWID;

-- +goose Down
SELECT 1;
