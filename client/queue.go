package client

import (
	"context"

	"waxwing/api/playerapi"
)

// Add queues what the request names and returns how many tracks that were.
func (p *Player) Add(ctx context.Context, in playerapi.AddRequest) (added int, err error) {
	out, err := post[playerapi.AddReply](ctx, p.transport(), "/queue/add", in)
	return out.Added, err
}

// Replace swaps the whole queue.
func (p *Player) Replace(ctx context.Context, in playerapi.ReplaceRequest) error {
	return p.command(ctx, "/queue/replace", in)
}

// Remove takes the item at index out of the queue, if it still is that track.
func (p *Player) Remove(ctx context.Context, index int, id string) error {
	return p.command(ctx, "/queue/remove", playerapi.ItemRequest{Index: index, ID: id})
}

// Move puts the item at from to another index, if it still is that track.
func (p *Player) Move(ctx context.Context, from, to int, id string) error {
	return p.command(ctx, "/queue/move", playerapi.MoveRequest{From: from, To: to, ID: id})
}

// Jump makes the item at index the current one, if it still is that track.
func (p *Player) Jump(ctx context.Context, index int, id string) error {
	return p.command(ctx, "/queue/jump", playerapi.ItemRequest{Index: index, ID: id})
}

// Clear empties the queue.
func (p *Player) Clear(ctx context.Context) error { return p.command(ctx, "/queue/clear", nil) }
