package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// orders caches lists of row numbers whose order no index has. Each list is built once per version.
// The lists used last stay, up to maxOrderBytes.
type orders struct {
	mu    sync.Mutex
	lists map[string]*cachedOrder
	clock int64
}

type cachedOrder struct {
	mu      sync.Mutex
	known   bool
	version int64
	nums    []uint32

	// Guarded by orders.mu.
	used  int64
	bytes int
}

const maxOrderBytes = 32 << 20

func newOrders() *orders { return &orders{lists: make(map[string]*cachedOrder)} }

// get returns a list of at least the given version. It must not be modified.
func (o *orders) get(key string, version int64, build func() ([]uint32, error)) ([]uint32, error) {
	o.mu.Lock()
	o.clock++
	list := o.lists[key]
	if list == nil {
		list = &cachedOrder{}
		o.lists[key] = list
	}
	list.used = o.clock
	o.mu.Unlock()

	list.mu.Lock()
	defer list.mu.Unlock()
	if list.known && list.version >= version {
		return list.nums, nil
	}
	nums, err := build()
	if err != nil {
		return nil, err
	}
	list.known, list.version, list.nums = true, version, nums
	o.mu.Lock()
	defer o.mu.Unlock()
	list.bytes = 4*cap(nums) + len(key) + 128
	o.evict(list)
	return nums, nil
}

// evict drops the lists used longest ago, except keep, until the others fit. o.mu must be held.
func (o *orders) evict(keep *cachedOrder) {
	total := 0
	for _, list := range o.lists {
		total += list.bytes
	}
	for total > maxOrderBytes && len(o.lists) > 1 {
		oldest := ""
		for key, list := range o.lists {
			if list != keep && (oldest == "" || list.used < o.lists[oldest].used) {
				oldest = key
			}
		}
		total -= o.lists[oldest].bytes
		delete(o.lists, oldest)
	}
}

// time returns the time of the last use of a list.
func (o *orders) time() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clock
}

// usedSince returns the bytes of the lists that were used after a time.
func (o *orders) usedSince(time int64) (bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, list := range o.lists {
		if list.used > time {
			bytes += list.bytes
		}
	}
	return bytes
}

// readNums runs a query for a column n of row numbers and returns them in its order. The engine
// joins them to one text: a row costs the driver more than finding it.
func readNums(ctx context.Context, q querier, doing, query string, args ...any) ([]uint32, error) {
	found, err := collect(ctx, q, doing, scanNullText,
		`SELECT string_agg(CAST(n AS TEXT), ',') FROM (`+query+`) list`, args...)
	if err != nil || !found[0].Valid { // an aggregate over no rows is one NULL
		return nil, err
	}
	text := found[0].String
	nums := make([]uint32, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, err
		}
		nums = append(nums, uint32(n))
	}
	return nums, nil
}

// numSet is a set of row numbers.
type numSet []uint64

func newNumSet(nums []uint32) numSet {
	var top uint32
	for _, num := range nums {
		top = max(top, num)
	}
	set := make(numSet, top/64+1)
	for _, num := range nums {
		set[num/64] |= 1 << (num % 64)
	}
	return set
}

func (s numSet) has(num uint32) bool {
	return int(num/64) < len(s) && s[num/64]&(1<<(num%64)) != 0
}

// keep returns the numbers that are in the set, in their order.
func (s numSet) keep(nums []uint32) []uint32 {
	kept := make([]uint32, 0, min(len(nums), 64*len(s)))
	for _, num := range nums {
		if s.has(num) {
			kept = append(kept, num)
		}
	}
	return slices.Clip(kept)
}

// shuffled returns the numbers in an order that depends on the seed only: a new number does not
// change the order of the others.
func shuffled(nums []uint32, seed string) []uint32 {
	salt := uint64(14695981039346656037) // FNV-1a
	for i := range len(seed) {
		salt = (salt ^ uint64(seed[i])) * 1099511628211
	}
	type placed struct {
		place uint64
		num   uint32
	}
	places := make([]placed, len(nums))
	for i, num := range nums {
		places[i] = placed{scramble(salt ^ scramble(uint64(num))), num}
	}
	slices.SortFunc(places, func(a, b placed) int {
		switch {
		case a.place < b.place:
			return -1
		case a.place > b.place:
			return 1
		}
		return int(a.num) - int(b.num)
	})
	order := make([]uint32, len(nums))
	for i, p := range places {
		order[i] = p.num
	}
	return order
}

// scramble is the output function of SplitMix64, a permutation of all numbers.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
