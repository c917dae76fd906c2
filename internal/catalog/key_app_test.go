package catalog_test

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/catalog"
)

// TestAppKeyOfAnotherProcessWorksAtOnce creates the key with a command while a server runs that has
// just refused it.
func TestAppKeyOfAnotherProcessWorksAtOnce(t *testing.T) {
	db := filepath.Join(t.TempDir(), "catalog.db")
	server, command := open(t, catalog.Config{DB: db, Serves: true}), open(t, catalog.Config{DB: db})
	user, err := command.EnsureUser(t.Context(), "Ann")
	if err != nil {
		t.Fatal(err)
	}
	want := [md5.Size]byte{1, 2, 3}
	login := func() error {
		_, err := server.AppKey(t.Context(), user.Username, func(state [md5.Size]byte) bool { return state == want })
		return err
	}
	if err := login(); err == nil {
		t.Error("login without a key: got no error")
	}
	_, err = command.CreateKey(t.Context(), catalog.NewKey{
		Name: "phone", Hash: strings.Repeat("1", 64), Owner: user.Username, Permissions: []string{"read"}, AppState: want[:],
	})
	if err != nil {
		t.Fatal(err)
	}
	catalog.ForgetAge(server)
	if err := login(); err != nil {
		t.Errorf("login with a new key: got %v, want no error", err)
	}
}
