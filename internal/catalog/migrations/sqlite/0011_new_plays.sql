-- +goose Up
-- Plays that the counts of personal do not contain yet. Readers of these counts add them, many at
-- once, so that recording a play writes one row.
CREATE TABLE new_plays (
    num            INTEGER PRIMARY KEY,
    listener       INTEGER NOT NULL,
    song           INTEGER NOT NULL,
    play_count     INTEGER NOT NULL, -- plays that count
    last_played_at INTEGER NOT NULL
);

-- +goose Down
SELECT 1;
