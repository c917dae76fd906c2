package access_test

import (
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/access"
)

func TestIdleTokensExpire(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	const idle = 30 * 24 * time.Hour
	device, secret, err := store.Create(t.Context(), access.NewToken{Name: "phone", Permissions: access.Read, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Check(secret); err != nil {
		t.Errorf("a new token: got %v, want it valid", err)
	}
	used := device
	used.LastUsedAt = device.CreatedAt.Add(20 * 24 * time.Hour)
	limited := used
	limited.ExpiresAt = device.CreatedAt.Add(40 * 24 * time.Hour)
	for _, test := range []struct {
		what  string
		token access.Token
		after time.Duration
		want  bool
	}{
		{"never used", device, idle - time.Second, true},
		{"never used", device, idle, false},
		{"used after 20 days", used, idle, true},
		{"used after 20 days", used, 50 * 24 * time.Hour, false},
		{"used after 20 days, expires after 40", limited, 40*24*time.Hour - time.Second, true},
		{"used after 20 days, expires after 40", limited, 40 * 24 * time.Hour, false},
	} {
		if got := test.token.Live(device.CreatedAt.Add(test.after)); got != test.want {
			t.Errorf("%s, after %v: got live %v, want %v", test.what, test.after, got, test.want)
		}
	}
}

func TestIdleLimitsAreInherited(t *testing.T) {
	limit := access.Limit{Permissions: access.Read, Idle: 2 * time.Hour}
	for idle, want := range map[time.Duration]time.Duration{
		0: 2 * time.Hour, time.Hour: time.Hour, 3 * time.Hour: 2 * time.Hour,
	} {
		if got := limit.CutIdle(idle); got != want {
			t.Errorf("idle time %v: got %v, want %v", idle, got, want)
		}
	}
	if got := (access.Limit{}).CutIdle(time.Hour); got != time.Hour {
		t.Errorf("without a limit: got %v, want %v", got, time.Hour)
	}
}

// TestOpenConnectionsCountAsUse: a stream that stays open for longer than the idle time keeps its
// token.
func TestOpenConnectionsCountAsUse(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	wanted := access.NewToken{Name: "overlay", Permissions: access.Read, Idle: time.Hour}
	device, _, err := store.Create(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	lastUse := func() time.Time {
		list, err := store.List()
		if err != nil {
			t.Fatal(err)
		}
		return list[0].LastUsedAt
	}
	first, second := store.InUse(device.ID), store.InUse(device.ID)
	first()
	at := device.CreatedAt.Add(30 * time.Minute)
	if access.RecordOpen(store, at); !lastUse().Equal(at) {
		t.Errorf("with an open connection: got last use %v, want %v", lastUse(), at)
	}
	second()
	second()
	if access.RecordOpen(store, at.Add(time.Hour)); !lastUse().Equal(at) {
		t.Errorf("without a connection: got last use %v, want %v", lastUse(), at)
	}
}
