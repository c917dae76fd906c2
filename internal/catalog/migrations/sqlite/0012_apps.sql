-- +goose Up
-- The key of an app has the state of MD5 after its secret, which is one block long. Logins with
-- md5(secret + salt) are checked with it; it yields neither the secret nor its hash. Who has it can
-- log in with such a token. NULL: an ordinary key.
ALTER TABLE keys ADD COLUMN md5_state BLOB;

-- What an app saved of a user's queue: songs is a list of nums separated by commas, current the index
-- of the song in it at position milliseconds.
CREATE TABLE play_queues (
    listener   INTEGER PRIMARY KEY REFERENCES users (num) ON DELETE CASCADE,
    songs      TEXT NOT NULL,
    current    INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    changed_by TEXT NOT NULL
);

CREATE TABLE bookmarks (
    listener   INTEGER NOT NULL REFERENCES users (num) ON DELETE CASCADE,
    song       INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    comment    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (listener, song)
) WITHOUT ROWID;

-- The size and name of the file of a song, without reading its row: an index of this table has the
-- columns of its primary key, too.
DROP INDEX files_by_song;
CREATE INDEX files_by_song ON files (song, size);

CREATE INDEX album_genres_by_album ON album_genres (album, songs, genre);

-- +goose Down
SELECT 1;
