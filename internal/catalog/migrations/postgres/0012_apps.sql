-- +goose Up
-- The key of an app has the state of MD5 after its secret, which is one block long. Logins with
-- md5(secret + salt) are checked with it; it yields neither the secret nor its hash. Who has it can
-- log in with such a token. NULL: an ordinary key.
ALTER TABLE keys ADD COLUMN md5_state BYTEA;

-- What an app saved of a user's queue: songs is a list of nums separated by commas, current the index
-- of the song in it at position milliseconds.
CREATE TABLE play_queues (
    listener   BIGINT PRIMARY KEY REFERENCES users (num) ON DELETE CASCADE,
    songs      TEXT COLLATE "C" NOT NULL,
    current    BIGINT NOT NULL,
    position   BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by TEXT COLLATE "C" NOT NULL
);

CREATE TABLE bookmarks (
    listener   BIGINT NOT NULL REFERENCES users (num) ON DELETE CASCADE,
    song       BIGINT NOT NULL,
    position   BIGINT NOT NULL,
    comment    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (listener, song)
);

CREATE INDEX album_genres_by_album ON album_genres (album, songs, genre);

-- +goose Down
SELECT 1;
