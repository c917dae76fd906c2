package cataloghttp

import (
	"context"
	"strconv"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/rules"
)

// readRules converts the rules of a request; nil means none.
func readRules(in *catalogapi.Rules) *rules.Set {
	if in == nil {
		return nil
	}
	set := &rules.Set{Match: in.Match, Sort: orZero(in.Sort), Order: orZero(in.Order), Rules: readRuleList(in.Rules)}
	set.Limit = int64(orZero(in.Limit))
	return set
}

func readRuleList(in []catalogapi.Rule) []rules.Rule {
	if in == nil {
		return nil
	}
	list := make([]rules.Rule, len(in))
	for i, r := range in {
		list[i] = rules.Rule{Field: orZero(r.Field), Op: orZero(r.Op), Value: r.Value, Match: orZero(r.Match),
			Rules: readRuleList(r.Rules)}
	}
	return list
}

// orZero returns the value of a pointer, the zero value for nil.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func wireRules(set *rules.Set) *catalogapi.Rules {
	if set == nil {
		return nil
	}
	return &catalogapi.Rules{Match: set.Match, Rules: wireRuleList(set.Rules), Sort: optional(set.Sort),
		Order: optional(set.Order), Limit: optional(int(set.Limit))}
}

func wireRuleList(list []rules.Rule) []catalogapi.Rule {
	if list == nil {
		return nil
	}
	wire := make([]catalogapi.Rule, len(list))
	for i, r := range list {
		wire[i] = catalogapi.Rule{Field: optional(r.Field), Op: optional(r.Op), Value: r.Value, Match: optional(r.Match),
			Rules: wireRuleList(r.Rules)}
	}
	return wire
}

// wirePlaylists converts playlists, with their rules if the request wants them.
func (s *server) wirePlaylists(
	ctx context.Context, a readRequest, rows []catalog.Playlist,
) ([]catalogapi.Playlist, error) {
	list, err := wireMine(ctx, s, a, rows, wirePlaylist)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if a.rules {
			list[i].Rules = wireRules(rows[i].Rules)
		}
	}
	return list, nil
}

// similar lists songs that are similar to one.
func (s *server) similar(ctx context.Context, a readRequest) ([]byte, int64, error) {
	songs, err := s.store.Similar(ctx, a.viewer, a.PathValue("song_id"), a.page.Limit)
	if err != nil {
		return nil, 0, err
	}
	mine, err := mine(ctx, s, a, songs)
	if err != nil {
		return nil, 0, err
	}
	return limited(a, songs, mine), int64(len(songs)), nil
}

// limited encodes a list of songs that has no pages.
func limited(a readRequest, songs []catalog.Song, mine []catalog.Personal) []byte {
	b := appendSongs(a.buf, a.links, songs, mine)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, a.page.Limit, 10)
	return append(b, "}\n"...)
}
