package catalog

import (
	"context"
	"fmt"
	"math"
)

const (
	// blockBits is the binary logarithm of the block size in PostgreSQL's index.
	blockBits = 16
	// mostBlocks is the largest number of blocks in one query; more cost as much as they save.
	mostBlocks = 16
	// spare is the safety factor on the estimated number of blocks.
	spare = 1.5
)

// newest searches the index for at most most rows, the newest first. likely is the
// estimated number of matches. If they are many and the engine would read all, it searches the
// newest blocks of numbers first, and estimates how many further blocks to search from the matches
// so far. With unread, it does not read the tokens.
func (s *Store) newest(
	ctx context.Context, table, expression string, likely float64, most int, unread bool,
) ([]popularRow, error) {
	if s.d.blocksSQL == "" || table != songSearch.table || likely < float64(2*most) {
		column := "words"
		if unread {
			column = "''"
		}
		return collect(ctx, s.read, "search", scanPopular, s.d.searchSQL(table, column), expression, most)
	}
	var last int64
	if err := s.read.QueryRowContext(ctx, `SELECT coalesce(max(rowid), 0) FROM song_search`).Scan(&last); err != nil {
		return nil, fmt.Errorf("find the newest row: %w", err)
	}
	var found []popularRow
	all := last>>blockBits + 1
	end := all // first block that is done
	for end > 0 && len(found) < most {
		done := all - end
		density := likely / float64(all)
		if done > 0 {
			density = max(float64(len(found)), 1) / float64(done)
		}
		missing := most - len(found)
		count := int64(math.Ceil(spare * float64(missing) / density))
		if count > mostBlocks || 4*count > 3*end {
			rest, err := collect(ctx, s.read, "search", scanPopular, s.d.olderSQL, expression, missing, end<<blockBits)
			return append(found, rest...), err
		}
		end -= count
		more, err := collect(ctx, s.read, "search the newest", scanPopular, s.d.blocksSQL, expression, missing,
			s.d.list(span(end, count)))
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// span returns count numbers beginning with first.
func span(first, count int64) []int64 {
	nums := make([]int64, count)
	for i := range nums {
		nums[i] = first + int64(i)
	}
	return nums
}
