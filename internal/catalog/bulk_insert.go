package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copiedRows is the number of rows from which COPY is faster than INSERT in PostgreSQL.
const copiedRows = 50

// insertMany inserts rows of equal width by the fastest means of the engine. conflict may be an ON
// CONFLICT clause.
func (t *tx) insertMany(ctx context.Context, doing, table, columns string, rows [][]any, conflict string) error {
	switch {
	case len(rows) == 0:
		return nil
	case t.d.rowsAtOnce == 1:
		return t.insertTogether(ctx, doing, `INSERT INTO `+table+` (`+columns+`) VALUES `, rows, ` `+conflict)
	case len(rows) < copiedRows:
		return t.insertValues(ctx, doing, table, columns, rows, conflict)
	case conflict == "":
		return t.copyRows(ctx, doing, table, columns, rows)
	}
	return t.stage(ctx, doing, table, columns, rows, func(staged string) string {
		return `INSERT INTO ` + table + ` (` + columns + `) SELECT ` + columns + ` FROM ` + staged + ` ` + conflict
	})
}

// rowsTogether is the number of rows of one INSERT in SQLite.
const rowsTogether = 25

// insertTogether inserts rows in SQLite by prepared statements of several rows each. Parameters
// without a name are much faster: the driver searches the names of all for each.
func (t *tx) insertTogether(ctx context.Context, doing, insert string, rows [][]any, conflict string) error {
	row := "(" + strings.Repeat("?, ", len(rows[0])-1) + "?)"
	for _, together := range []int{rowsTogether, 1} {
		whole := len(rows) - len(rows)%together
		joined := make([][]any, 0, whole/together)
		for chunk := range slices.Chunk(rows[:whole], together) {
			joined = append(joined, slices.Concat(chunk...))
		}
		statement := insert + strings.Repeat(row+", ", together-1) + row + conflict
		if err := t.each(ctx, doing, statement, joined); err != nil {
			return err
		}
		rows = rows[whole:]
	}
	return nil
}

// updateMany writes columns of many rows by the fastest means of the engine. Each row of parameters
// has the values of the columns, of which num is the last.
func (t *tx) updateMany(ctx context.Context, doing, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	last := len(columns) - 1
	if t.d.rowsAtOnce == 1 {
		set := make([]string, last)
		for i, column := range columns[:last] {
			set[i] = fmt.Sprintf("%s = $%d", column, i+1)
		}
		return t.each(ctx, doing, fmt.Sprintf(`UPDATE %s SET %s WHERE %s = $%d`, table, strings.Join(set, ", "),
			columns[last], last+1), rows)
	}
	return t.stage(ctx, doing, table, strings.Join(columns, ", "), rows, func(staged string) string {
		set := make([]string, last)
		for i, column := range columns[:last] {
			set[i] = column + " = v." + column
		}
		return fmt.Sprintf(`UPDATE %s SET %s FROM %s v WHERE %s.%s = v.%s`, table, strings.Join(set, ", "), staged,
			table, columns[last], columns[last])
	})
}

// insertValues inserts a few rows in one statement.
func (t *tx) insertValues(ctx context.Context, doing, table, columns string, rows [][]any, conflict string) error {
	width := len(rows[0])
	values := make([]string, len(rows))
	args := make([]any, 0, len(rows)*width)
	for i, row := range rows {
		values[i] = "(" + in(i*width+1, width) + ")"
		args = append(args, row...)
	}
	if _, err := t.ExecContext(ctx, `INSERT INTO `+table+` (`+columns+`)
		VALUES `+strings.Join(values, ", ")+` `+conflict, args...); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// stage copies rows into a temporary table with the columns of table, and runs a statement that
// reads them from there: COPY can neither resolve conflicts nor compute.
func (t *tx) stage(
	ctx context.Context, doing, table, columns string, rows [][]any, statement func(staged string) string,
) error {
	t.stagedTables++
	staged := fmt.Sprintf("staged_%d", t.stagedTables)
	if _, err := t.ExecContext(ctx, `CREATE TEMPORARY TABLE `+staged+` ON COMMIT DROP AS SELECT `+columns+`
		FROM `+table+` WITH NO DATA`); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := t.copyRows(ctx, doing, staged, columns, rows); err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, statement(staged)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// copyRows sends rows to PostgreSQL by COPY in the transaction.
func (t *tx) copyRows(ctx context.Context, doing, table, columns string, rows [][]any) error {
	names := strings.Split(columns, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	err := t.conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, names, pgx.CopyFromRows(rows))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
