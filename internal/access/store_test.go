package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
)

func open(t testing.TB, path string) *access.Store {
	t.Helper()
	s, err := access.Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t testing.TB, s *access.Store, name string) (access.Token, string) {
	t.Helper()
	token, secret, err := s.Create(t.Context(), access.NewToken{Name: name, Permissions: access.Read})
	if err != nil {
		t.Fatal(err)
	}
	return token, secret
}

// run runs s until stop is called or the test ends.
func run(t testing.TB, s *access.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

// checkError returns the message with which s refuses secret, or "".
func checkError(t testing.TB, s *access.Store, secret string) string {
	t.Helper()
	_, err := s.Check(secret)
	kind, sentence := fault.Of(err)
	if err != nil && kind != fault.Unauthenticated {
		t.Errorf("Check returned %v, want an Unauthenticated fault", err)
	}
	if err == nil {
		return ""
	}
	return sentence
}

func TestFileHoldsNoSecretAndIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "tokens.json")
	s := open(t, path)
	token, secret := create(t, s, "radio")
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), secret) || strings.Contains(string(data), secret[4:34]) {
		t.Fatalf("the file holds the secret: %s, %v", data, err)
	}
	for _, name := range []string{path, path + ".lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s = %v, %v; want 0600", name, info.Mode(), err)
		}
	}
	got, err := open(t, path).Check(secret)
	if err != nil || got.ID != token.ID || got.Name != "radio" || got.Permissions != access.Read {
		t.Errorf("got %+v, %v; want %+v", got, err, token)
	}
}

func TestInvalidSecretsAndTokensAreRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	_, secret := create(t, s, "radio")
	unknown, _ := access.Mint(access.TokenPrefix)
	key, _ := access.Mint(access.KeyPrefix)
	for given, want := range map[string]string{
		"": "not a valid", "x": "not a valid", secret + "x": "not a valid", key: "not a valid",
		unknown: "unknown", secret: "",
	} {
		if got := checkError(t, s, given); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("Check(%q) = %q, want %q", given, got, want)
		}
	}
	for _, n := range []access.NewToken{
		{Name: "", Permissions: access.Read},
		{Name: "x"},
		{Name: "x", Permissions: access.Read, Origin: "nonsense"},
		{Name: "x", Permissions: access.Read, Lifetime: -1},
	} {
		if _, _, err := s.Create(t.Context(), n); err == nil {
			t.Errorf("Create(%+v) succeeded", n)
		}
	}
	if _, err := s.Revoke(t.Context(), "nobody"); err == nil {
		t.Error("revoking an unknown token succeeded")
	}
	create(t, s, "twin")
	twin, _ := create(t, s, "twin")
	if _, err := s.Revoke(t.Context(), "twin"); err == nil {
		t.Error("revoking by an ambiguous name succeeded")
	}
	if _, err := s.Revoke(t.Context(), twin.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Revoke(t.Context(), "twin"); err != nil {
		t.Error(err)
	}
}

func TestExpiredTokenIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "tokens.json"))
		_, secret, err := s.Create(t.Context(), access.NewToken{
			Name: "brief", Permissions: access.Write, Lifetime: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - time.Second)
		if got := checkError(t, s, secret); got != "" {
			t.Errorf("refused before its expiry: %s", got)
		}
		time.Sleep(time.Second)
		if got := checkError(t, s, secret); !strings.Contains(got, "expired") {
			t.Errorf("got %q, want an expired token", got)
		}
	})
}

func TestChangesOfAnotherProcessActWithinASecond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	s, other := open(t, path), open(t, path)
	run(t, s)
	token, secret := create(t, other, "radio")
	eventually(t, "the new token is accepted", func() bool { return checkError(t, s, secret) == "" })
	ctx := s.TokenContext(token.ID)
	if ctx.Err() != nil {
		t.Fatal("the context of a live token is cancelled")
	}
	if _, err := other.Revoke(t.Context(), "radio"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
		t.Error("the context of a revoked token is not cancelled within a second")
	}
	if got := checkError(t, s, secret); !strings.Contains(got, "revoked") {
		t.Errorf("%v after the revocation: got %q, want a revoked token", time.Since(start), got)
	}
	if s.TokenContext(token.ID).Err() == nil || s.TokenContext("to_nobody").Err() == nil {
		t.Error("the context of a revoked or unknown token is not cancelled")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "tokens of a removed file are refused", func() bool { _, err := s.Check(secret); return err != nil })
}

func TestCheckNoticesARevocationWithoutRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	s, other := open(t, path), open(t, path)
	_, secret := create(t, other, "radio")
	eventually(t, "the token is accepted", func() bool { return checkError(t, s, secret) == "" })
	if _, err := other.Revoke(t.Context(), "radio"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the token is refused", func() bool { return checkError(t, s, secret) != "" })
}

func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Errorf("not within a second: %s", what)
}

func TestTokenContextIsCancelledAtExpiry(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	run(t, s)
	token, _, err := s.Create(t.Context(), access.NewToken{
		Name: "brief", Permissions: access.Read, Lifetime: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.TokenContext(token.ID).Done():
	case <-time.After(time.Second):
		t.Error("the context of an expired token is not cancelled within a second")
	}
}

func TestSavingTheLastUseKeepsARevocation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	s, other := open(t, path), open(t, path)
	stop := run(t, s)
	_, secret := create(t, s, "radio")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if got := checkError(t, s, secret); got != "" {
			t.Fatal(got)
		}
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("uses were written to the file immediately")
	}
	if list, err := s.List(); err != nil || list[0].LastUsedAt.IsZero() {
		t.Errorf("List lacks the last use: %+v, %v", list, err)
	}
	if _, err := other.Revoke(t.Context(), "radio"); err != nil {
		t.Fatal(err)
	}
	stop() // saves the last use
	list, err := open(t, path).List()
	if err != nil || list[0].RevokedAt.IsZero() || list[0].LastUsedAt.IsZero() {
		t.Errorf("got %+v, %v; want a revoked token with its last use", list, err)
	}
}

func TestConcurrentStoresLoseNoChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	var writers sync.WaitGroup
	for w := range 8 {
		s := open(t, path)
		writers.Go(func() {
			for i := range 10 {
				name := fmt.Sprintf("%d-%d", w, i)
				if _, _, err := s.Create(t.Context(), access.NewToken{Name: name, Permissions: access.Read}); err != nil {
					t.Error(err)
				}
				if i%2 == 0 {
					if _, err := s.Revoke(t.Context(), name); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Wait()
	list, err := open(t, path).List()
	revoked := 0
	for _, token := range list {
		if !token.RevokedAt.IsZero() {
			revoked++
		}
	}
	if err != nil || len(list) != 80 || revoked != 40 {
		t.Errorf("got %d tokens, %d revoked, %v; want 80 and 40", len(list), revoked, err)
	}
}

func TestDamagedFileIsReportedAndNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	s := open(t, path)
	_, secret := create(t, s, "radio")
	if err := os.WriteFile(path, []byte(`{"tokens":[{"id"`), 0o600); err != nil {
		t.Fatal(err)
	}
	var syntax *json.SyntaxError
	_, err := access.Open(path, slog.New(slog.DiscardHandler))
	if err == nil || errors.As(err, &syntax) && !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Open of a damaged file returned %v", err)
	}
	if _, err := s.Revoke(t.Context(), "radio"); err == nil {
		t.Error("a damaged file was overwritten")
	}
	if got := checkError(t, s, secret); !strings.Contains(got, "revoked") {
		t.Errorf("got %q, want the token refused as revoked although that cannot be saved", got)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"tokens":[{"id"` {
		t.Errorf("the damaged file now holds %q, %v", text, err)
	}
}

func TestOwnerTokenIsCreatedOnceAndAfterARevocation(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "tokens.json"))
	file := filepath.Join(dir, "owner.token")
	saved := func() string {
		t.Helper()
		secret, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(secret))
	}
	owner, created, err := access.EnsureOwnerToken(t.Context(), s, file)
	if err != nil || !created {
		t.Fatalf("got %v, %v; want a new token", created, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	first := saved()
	const all = access.Read | access.Write | access.Keys
	if token, err := s.Check(first); err != nil || token.ID != owner.ID || !token.Permissions.Has(all) {
		t.Errorf("got %+v, %v; want %+v", token, err, owner)
	}
	again, created, err := access.EnsureOwnerToken(t.Context(), s, file)
	if err != nil || created || again.ID != owner.ID || saved() != first {
		t.Errorf("the second call returned %v, %v, %v; want %v", again.ID, created, err, owner.ID)
	}
	if _, err := s.Revoke(t.Context(), owner.ID); err != nil {
		t.Fatal(err)
	}
	_, created, err = access.EnsureOwnerToken(t.Context(), s, file)
	if err != nil || !created || saved() == first || checkError(t, s, saved()) != "" {
		t.Errorf("after a revocation: got %v, %v; want a new token", created, err)
	}
}

func TestHasOriginKnowsOriginsOfLiveTokens(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	create(t, s, "none")
	app := access.NewToken{Name: "app", Permissions: access.Read, Origin: "https://app.example"}
	if _, _, err := s.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	if !s.HasOrigin("https://app.example") || s.HasOrigin("") || s.HasOrigin("https://other.example") {
		t.Error("want https://app.example and no other origin")
	}
	if _, err := s.Revoke(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	if s.HasOrigin("https://app.example") {
		t.Error("the origin of a revoked token is still allowed")
	}
}

func BenchmarkCheck(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "tokens.json"))
	_, secret := create(b, s, "radio")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Check(secret); err != nil {
			b.Fatal(err)
		}
	}
}
