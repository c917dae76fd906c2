package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Page is a page of a list: Limit rows, Number counted from 1.
type Page struct {
	Number int64
	Limit  int64

	skip int64 // rows before page 1
}

// Span is the part of a list with limit rows after the first offset ones.
func Span(offset, limit int64) Page {
	return Page{Number: 1, Limit: max(1, limit), skip: max(0, offset)}
}

// offset is the number of rows before the page, at most math.MaxInt64.
func (p Page) offset() int64 {
	if p.Number-1 > (math.MaxInt64-p.skip)/p.Limit {
		return math.MaxInt64
	}
	return (p.Number-1)*p.Limit + p.skip
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect runs a query and scans every row. doing describes the work in errors.
func collect[T any](
	ctx context.Context, q querier, doing string, scan func(*sql.Rows) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	found := []T{}
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		found = append(found, row)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return found, nil
}

// in returns a list of n parameters beginning at number from: "$3, $4, $5".
func in(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}

// params is in for the last parameters of a statement. In SQLite they have no names: the driver
// searches the names of all for each.
func (d dialect) params(from, n int) string {
	if d.rowsAtOnce == 1 {
		return strings.Repeat("?, ", n-1) + "?"
	}
	return in(from, n)
}

// joined joins numbers with commas.
func joined(nums []int64) string {
	var b []byte
	for i, num := range nums {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, num, 10)
	}
	return string(b)
}

// anySlice converts a slice to parameters.
func anySlice[T any](values []T) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return args
}

// each prepares a statement and runs it for every row of parameters.
func (t *tx) each(ctx context.Context, doing, statement string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	prepared, err := t.PrepareContext(ctx, statement)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer prepared.Close()
	exec := ctx
	if t.d.rowsAtOnce == 1 {
		// In SQLite every row is fast, and watching a context costs the driver a goroutine per row.
		exec = context.WithoutCancel(ctx)
	}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		if _, err := prepared.ExecContext(exec, row...); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	return nil
}

// null converts a zero value to NULL.
func null[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
