package playerhttp

import (
	"net/http"
	"strconv"

	"waxwing/api/playerapi"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/player"
)

func (s *server) queueItems(r *http.Request, _ httpkit.None) (playerapi.QueueItems, error) {
	since := uint64(0)
	if query := r.URL.Query(); query.Has("since") {
		var err error
		if since, err = strconv.ParseUint(query.Get("since"), 10, 63); err != nil {
			return playerapi.QueueItems{}, fault.New(fault.Invalid, "since must be a version of the queue: 0 or more")
		}
	}
	st := s.player.Status()
	out := playerapi.QueueItems{
		Version: int(st.QueueVersion), Length: len(st.Items), CurrentItemID: currentItem(st), Items: []playerapi.QueueEntry{},
	}
	for i, item := range st.Items {
		if item.Version <= since {
			continue
		}
		t := st.Queue[i]
		out.Items = append(out.Items, playerapi.QueueEntry{
			ItemID: item.ID, Index: i, Version: int(item.Version), Priority: item.Priority,
			ID: t.ID, Title: t.Title, Artist: t.Artist, Album: t.Album, Duration: wholeMillis(t.Duration),
			CoverURL: t.CoverURL, ThumbnailURL: t.ThumbnailURL, URL: nilIfEmpty(t.URL),
		})
	}
	return out, nil
}

// currentItem is the id of the current item, or nil.
func currentItem(st *player.Status) *int {
	if id := st.CurrentItem(); id > 0 {
		return &id
	}
	return nil
}

func (s *server) queueAdd(r *http.Request, in playerapi.AddRequest) (playerapi.AddReply, error) {
	sel, err := selection(r, in.TrackIDs, in.PlaylistID, in.ArtistID, in.AlbumID, in.Songs)
	if err != nil {
		return playerapi.AddReply{}, err
	}
	place, err := placeOf(in.At, in.Index, in.AfterItemID)
	if err != nil {
		return playerapi.AddReply{}, err
	}
	items, err := s.player.Insert(r.Context(), sel, place)
	if items == nil {
		items = []int{}
	}
	return playerapi.AddReply{OK: true, Added: len(items), ItemIDs: items}, err
}

func (s *server) queueAddURL(r *http.Request, in playerapi.AddURLRequest) (playerapi.AddReply, error) {
	play := in.Play != nil && *in.Play
	if play && in.At == nil && in.Index == nil && in.AfterItemID == nil {
		in.At = new("next")
	}
	place, err := placeOf(in.At, in.Index, in.AfterItemID)
	if err != nil {
		return playerapi.AddReply{}, err
	}
	name := ""
	if in.Name != nil {
		name = *in.Name
	}
	t, err := s.player.WebTrack(in.URL, name)
	if err != nil {
		return playerapi.AddReply{}, err
	}
	var items []int
	err = s.player.Edit(r.Context(), func(q *player.Edit) error {
		var err error
		if items, err = place(q, []player.Track{t}); err != nil || !play {
			return err
		}
		index, err := q.Find(items[0])
		if err != nil {
			return err
		}
		return q.Play(index, 0)
	})
	return playerapi.AddReply{OK: true, Added: len(items), ItemIDs: items}, err
}

// inserter inserts tracks and returns the ids of the new items.
type inserter func(q *player.Edit, tracks []player.Track) ([]int, error)

// placeOf returns a function that inserts tracks where a request says.
func placeOf(at *string, index, after *int) (inserter, error) {
	if at != nil && (index != nil || after != nil) || index != nil && after != nil {
		return nil, fault.New(fault.Invalid, "at most one of at, index and after_item_id may be set")
	}
	switch {
	case index != nil:
		if err := notNegative("index", *index); err != nil {
			return nil, err
		}
		return func(q *player.Edit, tracks []player.Track) ([]int, error) { return q.Insert(*index, tracks) }, nil
	case after != nil:
		return func(q *player.Edit, tracks []player.Track) ([]int, error) {
			i, err := q.Find(*after)
			if err != nil {
				return nil, err
			}
			if i == q.Current() {
				return q.InsertNext(tracks)
			}
			return q.Insert(i+1, tracks)
		}, nil
	case at == nil || *at == "end":
		return func(q *player.Edit, tracks []player.Track) ([]int, error) {
			return q.Insert(len(q.Items()), tracks)
		}, nil
	case *at == "next":
		return func(q *player.Edit, tracks []player.Track) ([]int, error) { return q.InsertNext(tracks) }, nil
	}
	return nil, fault.New(fault.Invalid, "at must be next or end")
}

func (s *server) queueReplace(r *http.Request, in playerapi.ReplaceRequest) (playerapi.OK, error) {
	sel, err := selection(r, in.TrackIDs, in.PlaylistID, in.ArtistID, in.AlbumID, in.Songs)
	if err != nil {
		return playerapi.OK{}, err
	}
	index, play := 0, s.player.Status().Playing
	if in.Index != nil {
		index = *in.Index
	}
	if in.Play != nil {
		play = *in.Play
	}
	if err := notNegative("index", index); err != nil {
		return playerapi.OK{}, err
	}
	return playerapi.OK{OK: true}, s.player.Replace(r.Context(), sel, index, play)
}

func notNegative(name string, index int) error {
	if index < 0 {
		return fault.New(fault.Invalid, "%s must not be negative", name)
	}
	return nil
}

// locator returns a function that finds the item that a request names: by its id, or by its index,
// named at, and track.
func locator(itemID, index *int, track *string, at string) (func(q *player.Edit) (int, error), error) {
	switch {
	case itemID != nil && index == nil && track == nil:
		return func(q *player.Edit) (int, error) { return q.Find(*itemID) }, nil
	case itemID == nil && index != nil && track != nil:
		return func(q *player.Edit) (int, error) { return q.Check(*index, *track) }, notNegative(at, *index)
	}
	return nil, fault.New(fault.Invalid, "either item_id, or %s and id, must be set", at)
}

func (s *server) queueRemove(r *http.Request, in playerapi.RemoveRequest) (playerapi.OK, error) {
	if in.ItemIDs != nil {
		if in.ItemID != nil || in.Index != nil || in.ID != nil {
			return playerapi.OK{}, fault.New(fault.Invalid, "item_ids must be set alone")
		}
		return playerapi.OK{OK: true}, s.player.Edit(r.Context(), func(q *player.Edit) error {
			return q.RemoveItems(in.ItemIDs)
		})
	}
	return s.editItem(r, playerapi.ItemRequest{ItemID: in.ItemID, Index: in.Index, ID: in.ID},
		func(q *player.Edit, index int) error { return q.Remove(index, index+1) })
}

func (s *server) queueJump(r *http.Request, in playerapi.ItemRequest) (playerapi.OK, error) {
	return s.editItem(r, in, func(q *player.Edit, index int) error { return q.Play(index, 0) })
}

// editItem runs f with the index of the item that a request names.
func (s *server) editItem(
	r *http.Request, in playerapi.ItemRequest, f func(q *player.Edit, index int) error,
) (playerapi.OK, error) {
	find, err := locator(in.ItemID, in.Index, in.ID, "index")
	if err != nil {
		return playerapi.OK{}, err
	}
	return playerapi.OK{OK: true}, s.player.Edit(r.Context(), func(q *player.Edit) error {
		index, err := find(q)
		if err != nil {
			return err
		}
		return f(q, index)
	})
}

func (s *server) queueMove(r *http.Request, in playerapi.MoveRequest) (playerapi.OK, error) {
	find, err := locator(in.ItemID, in.From, in.ID, "from")
	if err == nil && (in.To == nil) == (in.AfterItemID == nil) {
		err = fault.New(fault.Invalid, "either to or after_item_id must be set")
	}
	if err == nil && in.To != nil {
		err = notNegative("to", *in.To)
	}
	if err != nil {
		return playerapi.OK{}, err
	}
	return playerapi.OK{OK: true}, s.player.Edit(r.Context(), func(q *player.Edit) error {
		from, err := find(q)
		if err != nil {
			return err
		}
		if in.To != nil {
			return q.Move(from, from+1, *in.To)
		}
		after, err := q.Find(*in.AfterItemID)
		if err != nil {
			return err
		}
		if after < from {
			after++
		}
		return q.Move(from, from+1, after)
	})
}

func (s *server) queueShuffle(r *http.Request, in playerapi.ShuffleListRequest) (playerapi.OK, error) {
	return playerapi.OK{OK: true}, s.player.Edit(r.Context(), func(q *player.Edit) error {
		from, to := 0, len(q.Items())
		if in.From != nil {
			from = *in.From
		}
		if in.To != nil {
			to = *in.To
		}
		return q.Shuffle(from, to)
	})
}

func (s *server) queuePriority(r *http.Request, in playerapi.PriorityRequest) (playerapi.OK, error) {
	if len(in.ItemIDs) == 0 {
		return playerapi.OK{}, fault.New(fault.Invalid, "item_ids must name at least one item")
	}
	return playerapi.OK{OK: true}, s.player.Edit(r.Context(), func(q *player.Edit) error {
		indexes, err := q.FindAll(in.ItemIDs)
		if err != nil {
			return err
		}
		return q.SetPriority(in.Priority, indexes...)
	})
}
