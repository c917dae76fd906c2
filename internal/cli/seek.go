package cli

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"waxwing/client"
)

type seekCmd struct {
	controlCmd
	To string `arg:"" help:"Position: 1:23, 90s, 1m30s, 5000ms, +10s, -10s, 50%."`
}

func (c *seekCmd) Run(ctx context.Context, std IO) error {
	to, err := parseSeekTarget(c.To)
	if err != nil {
		return err
	}
	return c.control(ctx, std, func(p *client.Player) error {
		ms := to.ms
		if to.from != fromStart {
			t, err := p.CurrentTrack(ctx)
			if err != nil {
				return err
			}
			if t != nil && to.from == fromCurrent {
				ms = max(t.Position+to.ms, 0)
			}
			if t != nil && to.from == percentOfTrack {
				ms = t.Duration * to.ms / 100
			}
		}
		_, err := p.Seek(ctx, ms)
		return err
	})
}

// seekTarget is a position in a track, relative to from.
type seekTarget struct {
	from int
	ms   float64 // or a percentage, with ofWhole
}

const (
	fromStart = iota
	fromCurrent
	percentOfTrack
)

func parseSeekTarget(s string) (seekTarget, error) {
	wrong := usage("“%s” is not a position in a track; try 1:23, 90s, +10s, -10s or 50%%", s)
	if n, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil || !(v >= 0 && v <= 100) {
			return seekTarget{}, wrong
		}
		return seekTarget{percentOfTrack, v}, nil
	}
	sign, from, rest := 1.0, fromStart, s
	if after, ok := strings.CutPrefix(s, "+"); ok {
		from, rest = fromCurrent, after
	} else if after, ok := strings.CutPrefix(s, "-"); ok {
		sign, from, rest = -1, fromCurrent, after
	}
	ms, ok := parseTime(rest)
	if !ok {
		return seekTarget{}, wrong
	}
	return seekTarget{from, sign * ms}, nil
}

// parseTime reads 1:02:03, 1:23, 83 (seconds), 83.5, 83s, 1m23s, 5000ms.
func parseTime(s string) (ms float64, ok bool) {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		return 0, false
	}
	if strings.Contains(s, ":") {
		parts := strings.Split(s, ":")
		if len(parts) > 3 {
			return 0, false
		}
		total := 0.0
		for i, p := range parts {
			v, err := strconv.ParseFloat(p, 64)
			if err != nil || !(v >= 0) || math.IsInf(v, 0) || i > 0 && v >= 60 {
				return 0, false
			}
			total = total*60 + v
		}
		return total * 1000, true
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v * 1000, v >= 0 && !math.IsInf(v, 0)
	}
	d, err := time.ParseDuration(s)
	return float64(d) / float64(time.Millisecond), err == nil && d >= 0
}
