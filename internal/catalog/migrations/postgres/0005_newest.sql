-- +goose Up
-- A search wants the newest songs that have a word, and the index alone tells no order: it would
-- read all of them. So it also knows in which block of 65536 numbers a song is, and is asked for the
-- newest blocks first. It answers whoever asks for words alone as the one before it did.
CREATE INDEX song_search_newest ON song_search USING gin (terms, (ARRAY[rowid >> 16])) WITH (gin_pending_list_limit = 256);
DROP INDEX song_search_terms;

-- Which of many songs were played, without a look at each of them.
CREATE INDEX songs_heated ON songs (num, heat) WHERE available = 1 AND heat IS NOT NULL;

-- +goose Down
SELECT 1;
