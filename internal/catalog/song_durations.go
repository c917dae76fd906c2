package catalog

import (
	"context"
	"fmt"
	"slices"
)

// durationOf sums up the durations of songs. For many songs it reads the durations of all, once per
// version.
func (s *Store) durationOf(ctx context.Context, nums []uint32) (sum int64, err error) {
	if len(nums) < fewNums {
		wide := make([]int64, len(nums))
		for i, num := range nums {
			wide[i] = int64(num)
		}
		err := s.read.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(duration), 0) AS BIGINT) FROM songs
			WHERE `+s.d.among("num"), s.d.list(wide)).Scan(&sum)
		if err != nil {
			return 0, fmt.Errorf("sum up durations: %w", err)
		}
		return sum, nil
	}
	durations, err := s.durations(ctx)
	for _, num := range nums {
		if int(num) < len(durations) && durations[num] != noDuration {
			sum += int64(durations[num])
		}
	}
	return sum, err
}

// durations returns the durations of songs by number, in milliseconds; noDuration if a song is not
// available.
func (s *Store) durations(ctx context.Context) ([]uint32, error) {
	return s.orders.get("durations", s.View().songsChanged, func() ([]uint32, error) {
		var top int64
		err := s.read.QueryRowContext(ctx, "SELECT coalesce(max(num), 0) FROM songs").Scan(&top)
		if err != nil {
			return nil, fmt.Errorf("read durations: %w", err)
		}
		byNum := slices.Repeat([]uint32{noDuration}, int(top)+1)
		for from := int64(0); from <= top; from += durationsAtOnce {
			pairs, err := readNums(ctx, s.read, "read durations", fmt.Sprintf(`SELECT CAST(num AS TEXT) || ',' ||
				CAST(CASE WHEN duration > %d THEN %d ELSE duration END AS TEXT) AS n FROM songs
				WHERE num BETWEEN $1 AND $2 AND available = 1`, longestDuration, longestDuration),
				from, min(top, from+durationsAtOnce-1))
			if err != nil {
				return nil, err
			}
			for pair := range slices.Chunk(pairs, 2) {
				byNum[pair[0]] = pair[1]
			}
		}
		return byNum, nil
	})
}

// durationsAtOnce limits the memory that reading the durations needs.
const durationsAtOnce = 100_000

const (
	noDuration      = 1<<32 - 1
	longestDuration = noDuration - 1 // 49 days
)

// songsByDuration returns the numbers of the available songs, shortest first. Sorting here is
// several times as fast as in the database, where no index has this order.
func (s *Store) songsByDuration(ctx context.Context) ([]uint32, error) {
	durations, err := s.durations(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, 0, len(durations))
	for num, duration := range durations {
		if duration != noDuration {
			keys = append(keys, uint64(duration)<<32|uint64(num))
		}
	}
	slices.Sort(keys)
	nums := make([]uint32, len(keys))
	for i, key := range keys {
		nums[i] = uint32(key)
	}
	return nums, nil
}
