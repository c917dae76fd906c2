-- +goose Up
-- Finds the played songs among many without reading their rows.
CREATE INDEX songs_heated ON songs (num, heat) WHERE available = 1 AND heat IS NOT NULL;

-- +goose Down
SELECT 1;
