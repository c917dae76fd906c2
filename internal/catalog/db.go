// Package catalog keeps songs, albums, artists, playlists, users, plays and keys in a database:
// SQLite inside the process or PostgreSQL beside it. Each noun has its SQL in its own file.
package catalog

// Store is an open catalog. All methods may be called by many goroutines at once.
type Store struct{}
