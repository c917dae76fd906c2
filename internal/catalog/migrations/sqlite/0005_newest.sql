-- +goose Up
-- Which of many songs were played, without a look at each of them.
CREATE INDEX songs_heated ON songs (num, heat) WHERE available = 1 AND heat IS NOT NULL;

-- +goose Down
SELECT 1;
