package mp4

import "sort"

// times are the durations of packets, as runs of equal ones.
type times []timeRun

type timeRun struct {
	first int   // packet
	start int64 // of it, in ticks
	count int
	each  int64 // duration of a packet
}

func (r timeRun) end() int64 { return r.start + int64(r.count)*r.each }

// add appends n packets of the given duration.
func (t *times) add(n int, each int64) {
	if n <= 0 {
		return
	}
	runs := *t
	next := timeRun{count: n, each: each}
	if last := len(runs) - 1; last >= 0 {
		if runs[last].each == each {
			runs[last].count += n
			return
		}
		next.first, next.start = runs[last].first+runs[last].count, runs[last].end()
	}
	*t = append(runs, next)
}

// end returns the duration of all packets.
func (t times) end() int64 {
	if len(t) == 0 {
		return 0
	}
	return t[len(t)-1].end()
}

// before returns the duration of the packets before the given one.
func (t times) before(packet int) int64 {
	i := sort.Search(len(t), func(i int) bool { return t[i].first > packet }) - 1
	if i < 0 {
		return 0
	}
	return t[i].start + int64(min(packet-t[i].first, t[i].count))*t[i].each
}
