-- +goose Up
-- From a million words on, servers do not load the vocabulary and find similar words by trigrams.
-- Databases without the extension work, too: see search_vocabulary_remote.go.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX words_near ON words USING gin (word gin_trgm_ops);
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object OR invalid_schema_name THEN
        RAISE NOTICE 'pg_trgm cannot be had: %', SQLERRM;
END
$$;
-- +goose StatementEnd

-- Every batch of a scan updates the uses of existing words: free space in the pages makes these updates
-- heap-only.
ALTER TABLE words SET (fillfactor = 70);

-- A search reads the whole pending list of an index.
ALTER INDEX song_search_terms SET (gin_pending_list_limit = 256);
ALTER INDEX artist_search_terms SET (gin_pending_list_limit = 256);
ALTER INDEX album_search_terms SET (gin_pending_list_limit = 256);
ALTER INDEX playlist_search_terms SET (gin_pending_list_limit = 256);

-- +goose Down
SELECT 1;
