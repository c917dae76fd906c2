package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
)

// changePersonal runs a change that only one user sees: it raises the version of that user and not
// the revision of the catalog. f reports whether it changed anything.
func (s *Store) changePersonal(ctx context.Context, v Viewer, f func(*tx) (changed bool, err error)) error {
	return s.change(ctx, durable, func(t *tx) error {
		t.invisible = true
		changed, err := f(t)
		if changed {
			t.touch(v.num)
		}
		return err
	})
}

// touch raises the version of a user when the change commits.
func (t *tx) touch(listener int64) {
	if t.listeners == nil {
		t.listeners = make(map[int64]bool)
	}
	t.listeners[listener] = true
	t.bump[personalVersion] = 1
}

// writeVersions gives the users of a change the new value of the counter. Its row is locked, so
// that versions ascend in the order of the commits.
func (t *tx) writeVersions(ctx context.Context) error {
	if len(t.listeners) == 0 {
		return nil
	}
	nums := sortedKeys(t.listeners)
	_, err := t.ExecContext(ctx, `UPDATE users SET personal_version = (SELECT value FROM counters WHERE name = 'personal')
		WHERE num IN (`+in(1, len(nums))+`)`, anySlice(nums)...)
	if err != nil {
		return fmt.Errorf("raise the versions of users: %w", err)
	}
	return nil
}

// PersonalVersion increases when the likes, ratings or plays of a user change. Like the revision
// it may be older than the rows, never newer.
func (v View) PersonalVersion(who Viewer) int64 { return v.listeners[who.num] }

// readVersions completes a view with the versions that changed since an earlier one.
func (s *Store) readVersions(ctx context.Context, read, known *View) error {
	var since int64 = -1
	if known != nil {
		since, read.listeners = known.personal, known.listeners
	}
	if read.personal <= since {
		return nil
	}
	read.listeners = maps.Clone(read.listeners)
	if read.listeners == nil {
		read.listeners = make(map[int64]int64)
	}
	_, err := collect(ctx, s.read, "read the versions of users", func(rows *sql.Rows) (none struct{}, err error) {
		var num, version int64
		err = rows.Scan(&num, &version)
		read.listeners[num] = version
		return none, err
	}, `SELECT num, personal_version FROM users WHERE personal_version > $1`, since)
	return err
}
