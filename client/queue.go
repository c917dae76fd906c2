package client

import (
	"context"

	"waxwing/api/playerapi"
)

// Add adds tracks to the queue and returns their number.
func (p *Player) Add(ctx context.Context, in playerapi.AddRequest) (added int, err error) {
	out, err := post[playerapi.AddReply](ctx, p.transport(), "/queue/add", in)
	return out.Added, err
}

// Replace replaces the whole queue.
func (p *Player) Replace(ctx context.Context, in playerapi.ReplaceRequest) error {
	return p.command(ctx, "/queue/replace", in)
}

// Remove removes the item at index if it is still that track.
func (p *Player) Remove(ctx context.Context, index int, id string) error {
	return p.command(ctx, "/queue/remove", playerapi.ItemRequest{Index: index, ID: id})
}

// Move moves the item at from to another index if it is still that track.
func (p *Player) Move(ctx context.Context, from, to int, id string) error {
	return p.command(ctx, "/queue/move", playerapi.MoveRequest{From: from, To: to, ID: id})
}

// Jump makes the item at index the current one if it is still that track.
func (p *Player) Jump(ctx context.Context, index int, id string) error {
	return p.command(ctx, "/queue/jump", playerapi.ItemRequest{Index: index, ID: id})
}

// Clear removes all items from the queue.
func (p *Player) Clear(ctx context.Context) error { return p.command(ctx, "/queue/clear", nil) }
