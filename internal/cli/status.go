package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type statusCmd struct {
	remote
	JSON  bool `name:"json" help:"Print JSON; with --watch, one object per line."`
	Watch bool `name:"watch" short:"w" help:"Print a line for each change, until interrupted."`
}

// statusView is the output of commands with --json that control the player.
type statusView struct {
	Track     *playerapi.Track `json:"track"`
	IsPlaying bool             `json:"is_playing"`
	Shuffle   bool             `json:"shuffle"`
	Repeat    playerapi.Repeat `json:"repeat"`
}

// fullStatus is the output of status --json.
type fullStatus struct {
	statusView
	Volume int     `json:"volume"`
	Muted  bool    `json:"muted"`
	Output *string `json:"output"` // id of the selected device; null: the default
	Liked  *bool   `json:"liked"`
	Rating *int    `json:"rating"`
	Error  *string `json:"error"`

	State     playerapi.PlayerState `json:"state"`
	StopAfter playerapi.Mode        `json:"stop_after"`
	Consume   playerapi.Mode        `json:"consume"`
}

func statusOf(s playerapi.State) fullStatus {
	return fullStatus{statusView{s.Track, s.IsPlaying, s.Shuffle, s.Repeat}, s.Volume, s.Muted, s.Output, s.Liked,
		s.Rating, s.Error, s.State, s.StopAfter, s.Consume}
}

func (c *statusCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if !c.Watch && !c.JSON {
		err := show(ctx, std, p, false)
		if err == nil {
			warnOfSilence(ctx, std, p)
		}
		return c.hint(err)
	}
	var last *playerapi.State
	for state, err := range p.Events(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return c.hint(err)
		}
		view := statusOf(state)
		switch {
		case !c.Watch:
			return printJSON(std.Out, view)
		case last != nil && sameStatus(*last, state):
		case c.JSON:
			err = printJSONLine(std.Out, view)
		default:
			err = view.printLine(std.Out)
		}
		if err != nil {
			return err
		}
		last = &state
	}
	return nil
}

// sameStatus reports whether nothing that is printed has changed but the time: an event may be
// about the queue alone.
func sameStatus(before, now playerapi.State) bool {
	a, b := statusOf(before), statusOf(now)
	if (a.Track == nil) != (b.Track == nil) {
		return false
	}
	if a.Track != nil {
		track := *b.Track
		track.Position = a.Track.Position
		b.Track = &track
	}
	passed := now.Timestamp.Sub(before.Timestamp.Time).Seconds() * 1000 * float64(before.Rate)
	return reflect.DeepEqual(a, b) && math.Abs(now.Position-before.Position-passed) < seekTolerance
}

// seekTolerance is the largest deviation of the position, in milliseconds, that is not a seek.
const seekTolerance = 1000

// printLine prints the status as one line.
func (s fullStatus) printLine(w io.Writer) error {
	if s.Track == nil {
		_, err := fmt.Fprintln(w, "Nothing is loaded. Start with: waxwing play")
		return err
	}
	details := []string{fmt.Sprintf("volume %d", s.Volume)}
	if s.Muted {
		details[0] += " (muted)"
	}
	details = append(details, s.modes()...)
	switch s.StopAfter {
	case "on":
		details = append(details, "stop after each track")
	case "once":
		details = append(details, "stop after this track")
	}
	if s.Consume == "on" || s.Consume == "once" {
		details = append(details, "consume "+string(s.Consume))
	}
	if s.State == "stopped" {
		details = append(details, "stopped")
	}
	if s.Output != nil {
		details = append(details, "output "+plain(*s.Output))
	}
	if s.Liked != nil && *s.Liked {
		details = append(details, "liked")
	}
	if s.Rating != nil && *s.Rating > 0 {
		details = append(details, fmt.Sprintf("rated %d", *s.Rating))
	}
	if s.Error != nil {
		details = append(details, plain(*s.Error))
	}
	_, err := fmt.Fprintf(w, "%s  (%s)  %s\n", s.title(), s.time(), strings.Join(details, ", "))
	return err
}

// show prints the current track.
func show(ctx context.Context, std IO, p *client.Player, asJSON bool) error {
	track, err := p.CurrentTrack(ctx)
	if err != nil {
		return err
	}
	state, err := p.PlaybackState(ctx)
	if err != nil {
		return err
	}
	return statusView{track, state.IsPlaying, state.Shuffle, state.Repeat}.print(std, asJSON)
}

func (v statusView) print(std IO, asJSON bool) error {
	if asJSON {
		return printJSON(std.Out, v)
	}
	if v.Track == nil {
		_, err := fmt.Fprintln(std.Out, "Nothing is loaded. Start with: waxwing play")
		return err
	}
	what := v.title()
	if v.Track.Album != "" {
		what += "\n  " + plain(v.Track.Album)
	}
	line := strings.TrimRight(fmt.Sprintf("  %s  %s  %s", bar(v.Track.Position, v.Track.Duration), v.time(),
		strings.Join(v.modes(), ", ")), " ")
	_, err := fmt.Fprintf(std.Out, "%s\n%s\n", what, line)
	return err
}

func (v statusView) title() string {
	sign := "⏸"
	if v.IsPlaying {
		sign = "▶"
	}
	return sign + " " + plain(match{name: v.Track.Title, by: v.Track.Artist}.label())
}

func (v statusView) time() string {
	return fmt.Sprintf("%s / %s", clock(v.Track.Position), clock(v.Track.Duration))
}

// modes returns what differs from playing the queue once in its order.
func (v statusView) modes() (modes []string) {
	if v.Shuffle {
		modes = append(modes, "shuffle")
	}
	if v.Repeat != "off" {
		modes = append(modes, "repeat "+string(v.Repeat))
	}
	return modes
}

// clock writes milliseconds as 1:23.
func clock(ms float64) string {
	d := time.Duration(ms) * time.Millisecond
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

func bar(at, of float64) string {
	const width = 30
	n := 0
	if of > 0 {
		n = min(int(at/of*width), width)
	}
	return strings.Repeat("━", n) + strings.Repeat("─", width-n)
}
