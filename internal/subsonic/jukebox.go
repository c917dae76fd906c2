package subsonic

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/fault"
)

// jukeboxBatch is how many tracks one request to the player may name.
const jukeboxBatch = 2000

// playerQueue is the player that apps control in their jukebox mode, and its queue.
type playerQueue struct {
	*client.Player
	queue playerapi.QueueItems
}

// current returns the index of the current item; −1 if there is none.
func (j *playerQueue) current() int {
	return slices.IndexFunc(j.queue.Items, func(e playerapi.QueueEntry) bool {
		return j.queue.CurrentItemID != nil && e.ItemID == *j.queue.CurrentItemID
	})
}

// jukebox returns the player that apps control; nil if there is none.
func (s *server) jukebox() *client.Player {
	if s.cfg.Jukebox == nil {
		return nil
	}
	return s.cfg.Jukebox()
}

// jukeboxControl controls the player.
func (s *server) jukeboxControl(ctx context.Context, c *call) error {
	action, err := c.required("action")
	if err != nil {
		return err
	}
	player := s.jukebox()
	if player == nil {
		return fault.New(fault.Forbidden, "this server has no jukebox; start it with --jukebox-player")
	}
	j := playerQueue{Player: player}
	if j.queue, err = j.Items(ctx, 0); err != nil {
		return jukeboxFault(err)
	}
	if action != "get" && action != "status" {
		if err := j.do(ctx, c.params, action); err != nil {
			return jukeboxFault(err)
		}
		if j.queue, err = j.Items(ctx, 0); err != nil {
			return jukeboxFault(err)
		}
	}
	return s.jukeboxState(ctx, c, j, action == "get")
}

// do executes an action.
func (j *playerQueue) do(ctx context.Context, p params, action string) error {
	switch action {
	case "start":
		if len(j.queue.Items) == 0 {
			return nil // the player would choose songs itself
		}
		_, err := j.Play(ctx)
		return err
	case "stop":
		return j.Pause(ctx)
	case "clear":
		return j.Clear(ctx)
	case "add":
		return j.add(ctx, p["id"], -1)
	case "set":
		return j.set(ctx, p["id"])
	case "shuffle":
		return j.ShuffleQueue(ctx)
	case "skip", "remove":
		return j.at(ctx, p, action)
	case "setGain":
		gain, err := strconv.ParseFloat(p.get("gain"), 64)
		if err != nil || !(gain >= 0 && gain <= 1) {
			return coded(codeMissing, fault.Invalid, "the parameter gain must be a number from 0.0 to 1.0")
		}
		volume := int(math.Round(100 * gain))
		_, err = j.SetVolume(ctx, &volume, nil)
		return err
	}
	return fault.New(fault.Invalid, "the action %.40q is unknown", action)
}

// at skips to the item at an index, or removes it.
func (j *playerQueue) at(ctx context.Context, p params, action string) error {
	index, err := strconv.Atoi(p.get("index"))
	if err != nil || index < 0 || index >= len(j.queue.Items) {
		return coded(codeMissing, fault.Invalid, "the parameter index must be an index of the %d songs", len(j.queue.Items))
	}
	item := j.queue.Items[index].ItemID
	if action == "remove" {
		return j.Remove(ctx, item)
	}
	offset, err := p.int("offset", 0, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	if err := j.Jump(ctx, item); err != nil || offset == 0 {
		return err
	}
	_, err = j.Seek(ctx, float64(offset)*1000)
	return err
}

// add adds songs before an index; −1: at the end.
func (j *playerQueue) add(ctx context.Context, ids []string, index int) error {
	for batch := range slices.Chunk(ids, jukeboxBatch) {
		request := playerapi.AddRequest{TrackIDs: batch}
		if index >= 0 {
			at := index
			request.Index = &at
			index += len(batch)
		}
		if _, err := j.Add(ctx, request); err != nil {
			return err
		}
	}
	return nil
}

// set replaces the queue. The current song continues if it is one of the new ones.
func (j *playerQueue) set(ctx context.Context, ids []string) error {
	current := j.current()
	kept := -1
	if current >= 0 {
		kept = slices.Index(ids, j.queue.Items[current].ID)
	}
	if kept < 0 {
		first := ids[:min(len(ids), jukeboxBatch)]
		if len(first) == 0 {
			return j.Clear(ctx)
		}
		if err := j.Replace(ctx, playerapi.ReplaceRequest{TrackIDs: first}); err != nil {
			return err
		}
		return j.add(ctx, ids[len(first):], -1)
	}
	var others []int
	for i, e := range j.queue.Items {
		if i != current {
			others = append(others, e.ItemID)
		}
	}
	if len(others) > 0 {
		if err := j.Remove(ctx, others...); err != nil {
			return err
		}
	}
	if err := j.add(ctx, ids[:kept], 0); err != nil {
		return err
	}
	return j.add(ctx, ids[kept+1:], -1)
}

// jukeboxState writes the state of the player, with its queue or without.
func (s *server) jukeboxState(ctx context.Context, c *call, j playerQueue, withQueue bool) error {
	state, err := j.PlaybackState(ctx)
	if err != nil {
		return jukeboxFault(err)
	}
	track, err := j.CurrentTrack(ctx)
	if err != nil {
		return jukeboxFault(err)
	}
	volume, err := j.Volume(ctx)
	if err != nil {
		return jukeboxFault(err)
	}
	e := c.out
	if withQueue {
		e.object("jukeboxPlaylist")
	} else {
		e.object("jukeboxStatus")
	}
	e.int("currentIndex", int64(j.current()))
	e.bool("playing", state.IsPlaying)
	gain := float64(volume.Volume) / 100
	e.float("gain", gain)
	if e.open {
		e.int("volume", int64(math.Ceil(gain))) // the official schema has a whole number here
	}
	position := int64(0)
	if track != nil {
		position = int64(track.Position / 1000)
	}
	e.int("position", position)
	if withQueue {
		if err := s.jukeboxEntries(ctx, c, j.queue.Items); err != nil {
			return err
		}
	}
	e.end()
	return nil
}

// jukeboxEntries writes the queue. A song that is not in this catalog has only what the player
// knows about it: indexes must be those of the player.
func (s *server) jukeboxEntries(ctx context.Context, c *call, items []playerapi.QueueEntry) error {
	e := c.out
	e.list("entry")
	for _, item := range items {
		song, err := s.store.FullSong(ctx, c.viewer, item.ID)
		e.item()
		switch kind, _ := fault.Of(err); {
		case err == nil:
			s.song(e, &song)
		case kind == fault.NotFound:
			e.str("id", item.ID)
			e.bool("isDir", false)
			e.str("title", item.Title)
			e.str("artist", item.Artist)
			e.int("duration", seconds(int64(item.Duration)))
		default:
			return err
		}
		e.end()
	}
	e.endList()
	return nil
}

// jukeboxFault classifies the error of a request to the player.
func jukeboxFault(err error) error {
	var failed *client.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Status {
	case http.StatusNotFound:
		return fault.Wrap(fault.NotFound, err, "the player does not know one of these songs")
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge:
		return fault.Wrap(fault.Invalid, err, "the player refused: %s", failed.Message)
	}
	return fault.Wrap(fault.Unavailable, err, "the player does not respond; check --jukebox-player and its token")
}
