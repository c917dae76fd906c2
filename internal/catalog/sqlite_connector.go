package catalog

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// patientConnector opens connections to a SQLite file. When several processes create a catalog at
// the same moment, the switch to the write-ahead log can fail as busy at once, whatever the busy
// timeout is; then it is tried again.
type patientConnector struct {
	driver driver.Driver
	dsn    string
}

const (
	busyTime  = 10 * time.Second
	busyPause = 20 * time.Millisecond
)

func (c patientConnector) Driver() driver.Driver { return c.driver }

func (c patientConnector) Connect(ctx context.Context) (driver.Conn, error) {
	for start := time.Now(); ; {
		conn, err := c.driver.Open(c.dsn)
		if err == nil || !isBusy(err) || time.Since(start) > busyTime {
			return conn, err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
