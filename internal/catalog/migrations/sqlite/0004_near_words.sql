-- +goose Up
-- Empty: this step concerns PostgreSQL only, and both engines have the same numbers.
SELECT 1;

-- +goose Down
SELECT 1;
