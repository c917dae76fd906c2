package playerhttp_test

import (
	"strings"
	"testing"

	"waxwing/api/playerapi"
	"waxwing/client"
)

// TestClientCallsEveryOperation drives the real server through the public client.
func TestClientCallsEveryOperation(t *testing.T) {
	h := start(t, 5)
	ctx := t.Context()
	c := client.Player{BaseURL: h.url, Token: h.secrets["all"], HTTP: h.http}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	health, err := c.Health(ctx)
	must("health", err)
	if !health.OK {
		t.Errorf("health is %+v", health)
	}
	if own, err := c.OwnToken(ctx); err != nil || !own.Current || len(own.Permissions) != 3 {
		t.Errorf("own token: %+v, %v", own, err)
	}
	created, err := c.CreateToken(ctx, playerapi.TokenRequest{Name: "created", Permissions: []string{"read"}})
	must("create token", err)
	must("revoke token", c.RevokeToken(ctx, created.Token.ID))
	if list, err := c.Tokens(ctx); err != nil || len(list) == 0 || list[len(list)-1].Name == "created" {
		t.Errorf("tokens: %+v, %v", list, err)
	}
	must("ready", c.Ready(ctx))
	if track, err := c.CurrentTrack(ctx); err != nil || track != nil {
		t.Errorf("at first %v, %v plays", track, err)
	}
	id, err := c.Play(ctx)
	must("play", err)
	if id != "t0" {
		t.Errorf("%q plays", id)
	}
	must("play t2", c.PlayTrack(ctx, "t2"))
	must("next", c.Next(ctx))
	must("previous", c.Previous(ctx))
	if at, err := c.Seek(ctx, 99_999_999); err != nil || at != 61500 {
		t.Errorf("seek went to %v, %v", at, err)
	}
	if playing, err := c.Toggle(ctx); err != nil || playing {
		t.Errorf("toggle: %v, %v", playing, err)
	}
	must("pause", c.Pause(ctx))
	must("shuffle", c.SetShuffle(ctx, true))
	must("shuffle off", c.SetShuffle(ctx, false))
	if r, err := c.SetRepeat(ctx, "playlist"); err != nil || r != "all" {
		t.Errorf("repeat: %v, %v", r, err)
	}
	muted := true
	if v, err := c.SetVolume(ctx, nil, &muted); err != nil || !v.Muted {
		t.Errorf("volume: %v, %v", v, err)
	}
	if v, err := c.Volume(ctx); err != nil || !v.Muted {
		t.Errorf("volume: %v, %v", v, err)
	}
	if st, err := c.PlaybackState(ctx); err != nil || st.Repeat != "all" || st.IsPlaying {
		t.Errorf("state: %+v, %v", st, err)
	}
	must("replace", c.Replace(ctx, playerapi.ReplaceRequest{TrackIDs: []string{"t0", "t1", "t2"}}))
	at := "next"
	if n, err := c.Add(ctx, playerapi.AddRequest{TrackIDs: []string{"t4"}, At: &at}); err != nil || n != 1 {
		t.Errorf("add: %d, %v", n, err)
	}
	must("move", c.Move(ctx, 1, 3, "t4"))
	must("remove", c.Remove(ctx, 0, "t0"))
	must("jump", c.Jump(ctx, 2, "t4"))
	queue, err := c.Queue(ctx)
	must("queue", err)
	if len(queue.Queue) != 3 || queue.CurrentIndex != 2 || *queue.CurrentTrackID != "t4" {
		t.Errorf("the queue is %+v", queue)
	}
	if err := c.Remove(ctx, 0, "t4"); client.StatusOf(err) != 409 {
		t.Errorf("a stale index gives %v", err)
	}
	must("clear", c.Clear(ctx))
	user, err := c.PublicUser(ctx)
	must("user", err)
	if user.User.Username != "ada" || user.UpdatedAt.IsZero() {
		t.Errorf("the user is %+v", user)
	}
	outputs, err := c.Outputs(ctx)
	must("outputs", err)
	must("output", c.SetOutput(ctx, outputs[0].ID))

	app := client.Player{BaseURL: h.url, HTTP: h.http}
	pair, err := app.Pair(ctx, "App", "read")
	must("pair", err)
	if _, approved, err := app.ClaimPair(ctx, pair.ID); err != nil || approved {
		t.Errorf("claimed before it was approved: %v", err)
	}
	if denied, err := c.DenyPair(ctx, pair.Code); err != nil || denied.Name != "App" {
		t.Errorf("denied %+v, %v", denied, err)
	}
	if _, approved, err := app.ClaimPair(ctx, pair.ID); client.StatusOf(err) != 409 || approved {
		t.Errorf("claimed what was denied: %v, %v", approved, err)
	}
	pair, err = app.Pair(ctx, "App", "read")
	must("pair again", err)
	waiting, err := c.Pairs(ctx)
	must("pairs", err)
	if len(waiting) != 1 || waiting[0].Code != pair.Code {
		t.Errorf("waiting is %+v", waiting)
	}
	_, err = c.ApprovePair(ctx, pair.Code)
	must("approve", err)
	claimed, approved, err := app.ClaimPair(ctx, pair.ID)
	if err != nil || !approved || !strings.HasPrefix(claimed.Token, "wxt_") {
		t.Errorf("claimed %+v, %v", claimed, err)
	}
}
