-- +goose Up
-- The rules of a smart playlist as JSON. NULL: an ordinary playlist, with entries.
ALTER TABLE playlists ADD COLUMN rules TEXT;
CREATE INDEX playlists_smart ON playlists (owner) WHERE rules IS NOT NULL;

-- Folded texts that rules compare (see words.Key). An unknown text is empty.
CREATE TABLE song_texts (
    song  INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    album TEXT NOT NULL,
    path  TEXT NOT NULL
);

-- The number of smart playlists with rules that depend on the current time.
INSERT INTO counters (name, value) VALUES ('timed_playlists', 0);

-- +goose Down
SELECT 1;
