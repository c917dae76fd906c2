package catalog

import (
	"context"
	"fmt"
	"math"
)

const (
	// blockBits is how many bits of a song's number are left out where PostgreSQL's index has it.
	blockBits = 16
	// mostBlocks is for how many blocks the index is asked at once; more of them cost it as much as
	// the rows that they spare.
	mostBlocks = 16
	// spare is how many times the blocks are read that would do if words were spread evenly.
	spare = 1.5
)

// newest asks the index for rows, the newest first, at most mostCandidates. likely is about how many
// there are. Where they are many and the engine would read all of them, it is asked for the newest
// blocks of numbers first, and then for as many of the next as those before them make believe. Words
// that nobody looks at are left unread: SQLite has them elsewhere.
func (s *Store) newest(ctx context.Context, table, expression string, likely float64, unread bool) ([]popularRow, error) {
	if s.d.blocksSQL == "" || table != songSearch.table || likely < 2*mostCandidates {
		column := "words"
		if unread {
			column = "''"
		}
		return collect(ctx, s.read, "search", scanPopular, s.d.searchSQL(table, column), expression, mostCandidates)
	}
	var last int64
	if err := s.read.QueryRowContext(ctx, `SELECT coalesce(max(rowid), 0) FROM song_search`).Scan(&last); err != nil {
		return nil, fmt.Errorf("find the newest words: %w", err)
	}
	var found []popularRow
	all := last>>blockBits + 1
	end := all // the blocks from here on are done
	for end > 0 && len(found) < mostCandidates {
		done := all - end
		density := likely / float64(all)
		if done > 0 {
			density = max(float64(len(found)), 1) / float64(done)
		}
		missing := mostCandidates - len(found)
		count := int64(math.Ceil(spare * float64(missing) / density))
		if count > mostBlocks || 4*count > 3*end {
			rest, err := collect(ctx, s.read, "search", scanPopular, s.d.olderSQL, expression, missing, end<<blockBits)
			return append(found, rest...), err
		}
		end -= count
		more, err := collect(ctx, s.read, "search the newest", scanPopular, s.d.blocksSQL, expression, missing, s.d.list(span(end, count)))
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// span is count numbers from first on.
func span(first, count int64) []int64 {
	nums := make([]int64, count)
	for i := range nums {
		nums[i] = first + int64(i)
	}
	return nums
}
