package catalog

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Writer and Reader are the pools, for the test that reads their settings back.
func Writer(s *Store) *sql.DB { return s.write }
func Reader(s *Store) *sql.DB { return s.read }

// KeepPrivate closes a catalog to other accounts without opening it.
func KeepPrivate(path string) { makePrivate(path) }

// Relaxed runs f on the writer as a scan batch finds it.
func Relaxed(ctx context.Context, s *Store, f func(*sql.Conn) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	restore, err := s.d.relax(ctx, conn)
	if err != nil {
		return err
	}
	defer restore()
	return f(conn)
}

// MigrateTo makes a catalog of an older schema.
func MigrateTo(ctx context.Context, cfg Config, version int64) error {
	write, read, err := sqliteDialect.open(cfg.DB)
	if err != nil {
		return err
	}
	defer read.Close()
	defer write.Close()
	folder, err := fs.Sub(migrations, sqliteDialect.folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(sqliteDialect.goose, write, folder)
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}

// UsernameFrom is how names become usernames.
var UsernameFrom = usernameFrom

// LeaveWordsInDatabase makes every vocabulary too large for memory.
func LeaveWordsInDatabase(s *Store) {
	v := &s.search.vocabulary
	v.mu.Lock()
	defer v.mu.Unlock()
	v.limit, v.revision = 0, 0
}

// WaterLevel is how demands share a rate.
var WaterLevel = waterLevel

// KnownPlaysSQL and NearbyPlaysSQL are what every play asks first.
var (
	KnownPlaysSQL  = knownPlaysSQL
	NearbyPlaysSQL = nearbyPlaysSQL
)

// Newest are the songs that the index gives for an expression, as if about so many had it.
func Newest(ctx context.Context, s *Store, expression string, likely float64) (nums []int64, err error) {
	rows, err := s.newest(ctx, songSearch.table, expression, likely, false)
	for _, row := range rows {
		nums = append(nums, row.num)
	}
	return nums, err
}
