package playerhttp_test

import (
	"strings"
	"testing"

	"waxwing/api/playerapi"
	"waxwing/client"
)

// TestClientCallsEveryOperation checks the public client against the real server.
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
		t.Errorf("got health %+v, want ok", health)
	}
	if own, err := c.OwnToken(ctx); err != nil || !own.Current || len(own.Permissions) != 4 {
		t.Errorf("got own token %+v, %v, want the current one with 4 permissions", own, err)
	}
	created, err := c.CreateToken(ctx, playerapi.TokenRequest{Name: "created", Permissions: []string{"read"}})
	must("create token", err)
	must("revoke token", c.RevokeToken(ctx, created.Token.ID))
	if list, err := c.Tokens(ctx); err != nil || len(list) == 0 || list[len(list)-1].Name == "created" {
		t.Errorf("got tokens %+v, %v, want a list without the revoked one", list, err)
	}
	must("ready", c.Ready(ctx))
	if track, err := c.CurrentTrack(ctx); err != nil || track != nil {
		t.Errorf("got current track %v, %v, want none", track, err)
	}
	id, err := c.Play(ctx)
	must("play", err)
	if id != "t0" {
		t.Errorf("got track %q, want t0", id)
	}
	must("play t2", c.PlayTrack(ctx, "t2"))
	must("next", c.Next(ctx))
	must("previous", c.Previous(ctx))
	if at, err := c.Seek(ctx, 99_999_999); err != nil || at != 61500 {
		t.Errorf("got seek position %v, %v, want 61500", at, err)
	}
	if playing, err := c.Toggle(ctx); err != nil || playing {
		t.Errorf("got playing %v, %v after toggle, want false", playing, err)
	}
	must("pause", c.Pause(ctx))
	must("shuffle", c.SetShuffle(ctx, true))
	must("shuffle off", c.SetShuffle(ctx, false))
	if r, err := c.SetRepeat(ctx, "playlist"); err != nil || r != "all" {
		t.Errorf("got repeat %v, %v, want all", r, err)
	}
	muted := true
	if v, err := c.SetVolume(ctx, nil, &muted); err != nil || !v.Muted {
		t.Errorf("got volume %v, %v, want muted", v, err)
	}
	if v, err := c.Volume(ctx); err != nil || !v.Muted {
		t.Errorf("got volume %v, %v, want muted", v, err)
	}
	if st, err := c.PlaybackState(ctx); err != nil || st.Repeat != "all" || st.IsPlaying {
		t.Errorf("got state %+v, %v, want repeat all and paused", st, err)
	}
	must("replace", c.Replace(ctx, playerapi.ReplaceRequest{TrackIDs: []string{"t0", "t1", "t2"}}))
	at := "next"
	added, err := c.Add(ctx, playerapi.AddRequest{TrackIDs: []string{"t4"}, At: &at})
	if err != nil || len(added) != 1 {
		t.Fatalf("got items %v added, %v, want 1", added, err)
	}
	items, err := c.Items(ctx, 0)
	must("items", err)
	must("move", c.Move(ctx, added[0], 3))
	must("remove", c.Remove(ctx, items.Items[0].ItemID))
	must("priority", c.SetPriority(ctx, 3, added...))
	must("jump", c.Jump(ctx, added[0]))
	queue, err := c.Queue(ctx)
	must("queue", err)
	if len(queue.Queue) != 3 || queue.CurrentIndex != 2 || *queue.CurrentTrackID != "t4" {
		t.Errorf("got queue %+v, want 3 tracks with t4 current at index 2", queue)
	}
	if err := c.Remove(ctx, added[0], items.Items[0].ItemID); client.StatusOf(err) != 404 {
		t.Errorf("got %v for an item that was removed, want status 404", err)
	}
	if changed, err := c.Items(ctx, items.Version); err != nil || changed.Length != 3 || len(changed.Items) != 3 ||
		*changed.CurrentItemID != added[0] {
		t.Errorf("got changes %+v, %v, want all 3 items with %d current", changed, err, added[0])
	}
	must("shuffle queue", c.ShuffleQueue(ctx))
	if web, err := c.AddURL(ctx, playerapi.AddURLRequest{URL: "https://radio.example/"}); err != nil || len(web) != 1 {
		t.Errorf("got items %v for a URL, %v, want 1", web, err)
	}
	once := "once"
	modes, err := c.SetModes(ctx, playerapi.ModesRequest{StopAfter: &once})
	if err != nil || modes.StopAfter != "once" || modes.Consume != "off" || modes.State != "playing" {
		t.Errorf("got modes %+v, %v, want stop_after once while playing", modes, err)
	}
	must("stop", c.Stop(ctx))
	if modes, err := c.Modes(ctx); err != nil || modes.State != "stopped" || modes.StopAfter != "once" {
		t.Errorf("got modes %+v, %v, want stopped and stop_after once", modes, err)
	}
	must("clear", c.Clear(ctx))
	user, err := c.PublicUser(ctx)
	must("user", err)
	if user.User.Username != "ada" || user.UpdatedAt.IsZero() {
		t.Errorf("got user %+v, want ada with an update time", user)
	}
	outputs, err := c.Outputs(ctx)
	must("outputs", err)
	must("output", c.SetOutput(ctx, outputs[0].ID))

	app := client.Player{BaseURL: h.url, HTTP: h.http}
	pair, err := app.Pair(ctx, "App", "read")
	must("pair", err)
	if _, approved, err := app.ClaimPair(ctx, pair.ID); err != nil || approved {
		t.Errorf("claim before approval: got approved %v, %v, want false", approved, err)
	}
	if denied, err := c.DenyPair(ctx, pair.Code); err != nil || denied.Name != "App" {
		t.Errorf("deny: got %+v, %v, want name App", denied, err)
	}
	if _, approved, err := app.ClaimPair(ctx, pair.ID); client.StatusOf(err) != 409 || approved {
		t.Errorf("claim after denial: got approved %v, %v, want status 409", approved, err)
	}
	pair, err = app.Pair(ctx, "App", "read")
	must("pair again", err)
	waiting, err := c.Pairs(ctx)
	must("pairs", err)
	if len(waiting) != 1 || waiting[0].Code != pair.Code {
		t.Errorf("got waiting requests %+v, want one with code %s", waiting, pair.Code)
	}
	_, err = c.ApprovePair(ctx, pair.Code)
	must("approve", err)
	claimed, approved, err := app.ClaimPair(ctx, pair.ID)
	if err != nil || !approved || !strings.HasPrefix(claimed.Token, "wxt_") {
		t.Errorf("claim after approval: got %+v, %v, want a token", claimed, err)
	}
}
