package move

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyIn writes rows into PostgreSQL by COPY.
func copyIn(ctx context.Context, conn *sql.Conn, t table, from *rows) error {
	into := t.name
	if len(t.derived) > 0 { // COPY cannot compute
		into = "staged"
		create := `CREATE TEMPORARY TABLE staged AS SELECT ` + strings.Join(t.names(),
			", ") + ` FROM ` + t.name + ` WITH NO DATA`
		if err := run(ctx, conn, []string{create}); err != nil {
			return err
		}
	}
	err := conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{into}, t.names(), from)
		return err
	})
	if err != nil {
		return err
	}
	var follow []string
	if len(t.derived) > 0 {
		names, values := t.names(), t.names()
		for _, name := range t.derived {
			names, values = append(names, name), append(values, derivations[name])
		}
		follow = []string{
			`INSERT INTO ` + t.name + ` (` + strings.Join(names, ", ") + `) SELECT ` + strings.Join(values,
				", ") + ` FROM staged`,
			`DROP TABLE staged`,
		}
	}
	if t.numbered { // the next row must get the next number
		follow = append(follow,
			`SELECT setval(pg_get_serial_sequence('`+t.name+`', 'num'), max(num)) FROM `+t.name+` HAVING count(*) > 0`)
	}
	return run(ctx, conn, follow)
}
