package catalog

import (
	"context"
	"database/sql"
	"sync"
)

// prepared runs queries through prepared statements. In SQLite, parsing costs as much as finding a
// row. It is for the few most frequent queries, because it never closes a statement.
type prepared struct {
	*sql.DB

	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

func newPrepared(db *sql.DB) *prepared {
	return &prepared{DB: db, statements: make(map[string]*sql.Stmt)}
}

// QueryContext runs a query unless ctx is done. It ignores a later cancellation: the queries read
// one page at most, and watching a context costs two goroutines.
func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return statement.QueryContext(context.WithoutCancel(ctx), args...)
}

// QueryRowContext is QueryContext for one row.
func (p *prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := p.statement(ctx, query)
	if err != nil || ctx.Err() != nil {
		return p.DB.QueryRowContext(ctx, query, args...) // reports the error
	}
	return statement.QueryRowContext(context.WithoutCancel(ctx), args...)
}

func (p *prepared) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.RLock()
	statement := p.statements[query]
	p.mu.RUnlock()
	if statement != nil {
		return statement, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if statement := p.statements[query]; statement != nil {
		return statement, nil
	}
	statement, err := p.PrepareContext(ctx, query) // closed with the pool
	if err == nil {
		p.statements[query] = statement
	}
	return statement, err
}
