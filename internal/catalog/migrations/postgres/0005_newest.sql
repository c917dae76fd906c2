-- +goose Up
-- A search returns the newest songs with a word, and an index of words alone has no order: it would
-- read all of them. This one also contains the block of 65536 numbers of each song, so that a search
-- reads the newest blocks first. Searches for words alone can use it like the one before.
CREATE INDEX song_search_newest ON song_search USING gin (terms, (ARRAY[rowid >> 16])) WITH (gin_pending_list_limit = 256);
DROP INDEX song_search_terms;

-- Finds the played songs among many without reading their rows.
CREATE INDEX songs_heated ON songs (num, heat) WHERE available = 1 AND heat IS NOT NULL;

-- +goose Down
SELECT 1;
