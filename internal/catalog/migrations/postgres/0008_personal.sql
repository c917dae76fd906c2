-- +goose Up
-- What users like, rate and play. item is the num of a song (kind 1), an album (2), an artist (3) or
-- a playlist (4). A row exists while one of its values is set.
CREATE TABLE personal (
    listener       BIGINT NOT NULL REFERENCES users (num) ON DELETE CASCADE,
    kind           BIGINT NOT NULL,
    item           BIGINT NOT NULL,
    liked_at       BIGINT,
    rating         BIGINT, -- 1 to 5
    rated_at       BIGINT,
    play_count     BIGINT NOT NULL DEFAULT 0, -- plays that count
    last_played_at BIGINT,
    PRIMARY KEY (listener, kind, item)
);
CREATE INDEX personal_liked ON personal (listener, kind, liked_at, item) WHERE liked_at IS NOT NULL;
CREATE INDEX personal_likes ON personal (listener, kind, item) WHERE liked_at IS NOT NULL;
CREATE INDEX personal_rated ON personal (listener, kind, rating, item) WHERE rating IS NOT NULL;
CREATE INDEX personal_frequent ON personal (listener, kind, play_count, item) WHERE play_count > 0;
CREATE INDEX personal_recent ON personal (listener, kind, last_played_at, item) WHERE last_played_at IS NOT NULL;

-- source is the name of the key that reported a play.
ALTER TABLE plays ADD COLUMN source TEXT COLLATE "C";
CREATE INDEX plays_by_listener ON plays (listener, played_at, num);

-- The value of the counter when this user's rows of personal or plays changed last.
ALTER TABLE users ADD COLUMN personal_version BIGINT NOT NULL DEFAULT 0;
INSERT INTO counters (name, value) VALUES ('personal', 0);

INSERT INTO personal (listener, kind, item, play_count, last_played_at)
    SELECT listener, 1, song, sum(counted), max(played_at) FROM plays
    WHERE listener IN (SELECT num FROM users) GROUP BY listener, song;
INSERT INTO personal (listener, kind, item, play_count, last_played_at)
    SELECT m.listener, 2, s.album, sum(m.play_count), max(m.last_played_at)
    FROM personal m JOIN songs s ON s.num = m.item WHERE m.kind = 1 AND s.album IS NOT NULL GROUP BY m.listener, s.album;
INSERT INTO personal (listener, kind, item, play_count, last_played_at)
    SELECT m.listener, 3, x.artist, sum(m.play_count), max(m.last_played_at)
    FROM personal m JOIN (SELECT DISTINCT song, artist FROM song_artists WHERE role IN ('main', 'featured')
        AND song IN (SELECT song FROM plays)) x ON x.song = m.item
    WHERE m.kind = 1 GROUP BY m.listener, x.artist;

-- +goose Down
SELECT 1;
