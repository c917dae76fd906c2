package catalog

import (
	"context"
	"database/sql"
	"sync"
)

// prepared reads through statements that each connection parses once. Inside the process parsing costs as much as
// finding a row does; it is for the few texts that most requests are made of, because what it has parsed stays.
type prepared struct {
	*sql.DB

	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

func newPrepared(db *sql.DB) *prepared {
	return &prepared{DB: db, statements: make(map[string]*sql.Stmt)}
}

// QueryContext runs a query as a pool does, unless ctx is done already. Later it is not broken off: it reads one page at
// most, others hold a connection no longer than their own contexts let them, and to watch a context takes two goroutines.
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
