package client

import (
	"context"
	"strconv"

	"waxwing/api/playerapi"
)

// Items returns the items of the queue that have changed after a version of it; 0: all.
func (p *Player) Items(ctx context.Context, since int) (playerapi.QueueItems, error) {
	return get[playerapi.QueueItems](ctx, p.transport(), "/queue/items?since="+strconv.Itoa(since))
}

// Add adds tracks to the queue and returns the ids of the new items.
func (p *Player) Add(ctx context.Context, in playerapi.AddRequest) (items []int, err error) {
	out, err := post[playerapi.AddReply](ctx, p.transport(), "/queue/add", in)
	return out.ItemIDs, err
}

// AddURL adds web radio or a file of the web to the queue and returns the id of the new item. The
// token needs the permission streams.
func (p *Player) AddURL(ctx context.Context, in playerapi.AddURLRequest) (items []int, err error) {
	out, err := post[playerapi.AddReply](ctx, p.transport(), "/queue/add-url", in)
	return out.ItemIDs, err
}

// Replace replaces the whole queue.
func (p *Player) Replace(ctx context.Context, in playerapi.ReplaceRequest) error {
	return p.command(ctx, "/queue/replace", in)
}

// Remove removes items.
func (p *Player) Remove(ctx context.Context, items ...int) error {
	return p.command(ctx, "/queue/remove", playerapi.RemoveRequest{ItemIDs: items})
}

// Move moves an item to an index.
func (p *Player) Move(ctx context.Context, item, to int) error {
	return p.command(ctx, "/queue/move", playerapi.MoveRequest{ItemID: &item, To: &to})
}

// Jump plays an item.
func (p *Player) Jump(ctx context.Context, item int) error {
	return p.command(ctx, "/queue/jump", playerapi.ItemRequest{ItemID: &item})
}

// ShuffleQueue brings the items of the queue into a random sequence.
func (p *Player) ShuffleQueue(ctx context.Context) error {
	return p.command(ctx, "/queue/shuffle", nil)
}

// SetPriority sets the priority of items, from 0 to 255.
func (p *Player) SetPriority(ctx context.Context, priority int, items ...int) error {
	return p.command(ctx, "/queue/priority", playerapi.PriorityRequest{ItemIDs: items, Priority: priority})
}

// UndoQueue restores the queue as it was before the last change that removed items.
func (p *Player) UndoQueue(ctx context.Context) error { return p.command(ctx, "/queue/undo", nil) }

// Clear removes all items from the queue.
func (p *Player) Clear(ctx context.Context) error { return p.command(ctx, "/queue/clear", nil) }
