package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"waxwing/client"
)

// phone prints a QR code that signs in a phone, and waits until the phone has scanned it.
func (c *openCmd) phone(ctx context.Context, std IO, p *client.Player) error {
	invitation, err := p.InvitePhone(ctx)
	if err != nil {
		return c.hint(err)
	}
	if _, err := fmt.Fprintf(std.Out, "%s\n%s\n", drawQR(invitation.Qr), invitation.Link); err != nil {
		return fmt.Errorf("print the QR code: %w", err)
	}
	fmt.Fprintf(std.Err, "Scan the code with the camera of the phone, in the same network as this machine. It works "+
		"once, until %s. Keep it secret: it can control the player.\n", invitation.ExpiresAt.Local().Format(time.TimeOnly))
	ctx, cancel := context.WithDeadline(ctx, invitation.ExpiresAt.Time)
	defer cancel()
	poll := time.NewTicker(time.Second)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
			if state, err := p.Invitation(ctx, invitation.Request); err == nil && state.Claimed {
				fmt.Fprintln(std.Err, "The phone is signed in.")
				return nil
			}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return errors.New("no phone has used the code in time; if the page did not load, check the firewall of this " +
					"machine")
			}
			return ctx.Err()
		}
	}
}

// drawQR draws a QR code for a terminal: two rows on a line, in half blocks, with the margin
// that scanners need.
func drawQR(rows []string) string {
	const margin = 2
	dark := func(x, y int) bool {
		return y >= 0 && y < len(rows) && x >= 0 && x < len(rows[y]) && rows[y][x] == '1'
	}
	var out strings.Builder
	for y := -margin; y < len(rows)+margin; y += 2 {
		out.WriteString("\x1b[30;107m") // black on white, whatever the colours of the terminal are
		for x := -margin; x < len(rows)+margin; x++ {
			switch upper, lower := dark(x, y), dark(x, y+1); {
			case upper && lower:
				out.WriteString("█")
			case upper:
				out.WriteString("▀")
			case lower:
				out.WriteString("▄")
			default:
				out.WriteString(" ")
			}
		}
		out.WriteString("\x1b[0m\n")
	}
	return out.String()
}
