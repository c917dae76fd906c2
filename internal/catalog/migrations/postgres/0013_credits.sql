-- +goose Up
-- More of what the tags of a file say: the date as written, "2006", "2006-01" or "2006-01-02"; lists
-- of composers, separated by line feeds, and of MusicBrainz ids, separated by commas.
ALTER TABLE songs ADD COLUMN released TEXT COLLATE "C";
ALTER TABLE songs ADD COLUMN composers TEXT COLLATE "C";
ALTER TABLE songs ADD COLUMN mb_album_artists TEXT COLLATE "C";

-- The next scan reads the files once more (see tagVersion); the index of those to read follows.
DROP INDEX IF EXISTS songs_unread;
DELETE FROM settings WHERE name = 'sort_keys';

-- +goose Down
SELECT 1;
