package move

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"strings"
	"unicode/utf8"

	"waxwing/internal/fault"
)

// rows reads a table and computes its checksum. It implements pgx.CopyFromSource.
type rows struct {
	table    table
	work     *work
	rows     *sql.Rows
	err      error
	into     []any // pointers to values
	values   []any
	plain    bool // text must be valid in PostgreSQL
	n        int64
	reported int64
	hash     hash.Hash
	encoded  []byte
	digest   []byte
	sum      [4]uint64
}

// open starts to read a table for an engine.
func (w *work) open(ctx context.Context, q querier, t table, engine string) (*rows, error) {
	read, err := q.QueryContext(ctx, `SELECT `+strings.Join(t.names(), ", ")+` FROM `+t.name+where(t))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.name, err)
	}
	r := &rows{
		table: t, work: w, rows: read, plain: engine == "PostgreSQL", hash: sha256.New(), values: make([]any, len(t.columns)),
	}
	for i := range r.values {
		r.into = append(r.into, &r.values[i])
	}
	return r, nil
}

// Next reads a row and reports whether there was one.
func (r *rows) Next() bool {
	if r.err != nil || !r.rows.Next() {
		return false
	}
	if r.err = r.rows.Scan(r.into...); r.err != nil {
		r.err = fmt.Errorf("read %s: %w", r.table.name, r.err)
		return false
	}
	for i, c := range r.table.columns {
		if r.values[i], r.err = r.fit(c, r.values[i]); r.err != nil {
			return false
		}
	}
	r.add()
	r.n++
	if r.n-r.reported == 5000 {
		r.reportProgress()
	}
	return true
}

func (r *rows) reportProgress() {
	r.work.progress(r.n - r.reported)
	r.reported = r.n
}

// Values returns the values of the current row. They are valid until the next call of Next.
func (r *rows) Values() ([]any, error) { return r.values, nil }

// Err returns the error that ended the reading, if any.
func (r *rows) Err() error {
	if r.err == nil {
		r.err = r.rows.Err()
	}
	return r.err
}

func (r *rows) close() error {
	r.reportProgress()
	err := r.Err()
	if closing := r.rows.Close(); err == nil {
		err = closing
	}
	return err
}

// fit converts a value to the type of its column. SQLite stores values of any type in any column,
// and PostgreSQL rejects invalid UTF-8 and NUL in text. This program writes no such values, so they
// are errors that identify the row.
func (r *rows) fit(c column, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil //nolint:nilnil // NULL fits everywhere
	case int64:
		switch c.kind {
		case integer:
			return v, nil
		case real:
			return float64(v), nil
		}
	case float64:
		if c.kind == real {
			return v, nil
		}
	case string:
		switch c.kind {
		case text:
			if r.plain && (!utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0) {
				return nil, r.unfit(c, "it is not valid UTF-8 or contains NUL")
			}
			return v, nil
		case blob:
			return []byte(v), nil
		}
	case []byte:
		switch c.kind {
		case blob:
			return v, nil
		case text:
			return r.fit(c, string(v))
		}
	}
	return nil, r.unfit(c, fmt.Sprintf("it is a %T", v))
}

func (r *rows) unfit(c column, why string) error {
	var row []string
	for i, c := range r.table.columns {
		switch c.name {
		case "id", "num", "name", "rowid", "song", "path":
			row = append(row, fmt.Sprintf("%s %.80q", c.name, fmt.Sprint(r.values[i])))
		}
	}
	return fault.New(fault.Conflict, "table %s, row with %s: cannot move the value of %s: %s",
		r.table.name, strings.Join(row, ", "), c.name, why)
}

// add adds the current row to the checksum, which does not depend on the order of the rows.
func (r *rows) add() {
	b := r.encoded[:0]
	for i, c := range r.table.columns {
		b = append(b, byte(c.kind))
		switch v := r.values[i].(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 1), math.Float64bits(v))
		case string:
			b = append(binary.BigEndian.AppendUint32(append(b, 1), uint32(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint32(append(b, 1), uint32(len(v))), v...)
		}
	}
	r.encoded = b
	r.hash.Reset()
	_, _ = r.hash.Write(b) // never fails
	r.digest = r.hash.Sum(r.digest[:0])
	for i := range r.sum {
		r.sum[i] += binary.BigEndian.Uint64(r.digest[8*i:])
	}
}

func (r *rows) report() TableReport {
	var b []byte
	for _, lane := range r.sum {
		b = binary.BigEndian.AppendUint64(b, lane)
	}
	return TableReport{Name: r.table.name, Rows: r.n, Sum: hex.EncodeToString(b)}
}
