package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
	"waxwing/internal/testenv/s3server"
)

// TestServersShareABucketAndAReplica runs three servers over one database with a replica and one
// bucket, without a shared folder, while servers, replica and storage are killed under load.
func TestServersShareABucketAndAReplica(t *testing.T) {
	storage := s3server.Start(t)
	contents := map[string][]byte{} // by the name of the file
	err := fs.WalkDir(demo.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(demo.FS(), name)
		if err == nil {
			storage.Put("library/"+name, content)
			contents[path.Base(name)] = content
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	primary := postgres.ForTest(t)
	url := primary.Database(t)
	replica := primary.Replica(t, 0)
	credentials := s3server.CredentialsFile(t, s3server.AccessKey, s3server.SecretKey)
	flags := []string{"--music", "s3://" + s3server.Bucket + "/library", "--s3-endpoint", "http://" + storage.Addr,
		"--s3-path-style", "--s3-credentials-file", credentials, "--db-read", replica.Of(url)}
	members := []*member{newMember(t, "a", url), newMember(t, "b", url), newMember(t, "c", url)}
	for _, m := range members {
		m.start(flags...)
	}
	for _, m := range members {
		m.ready()
	}
	secret := members[0].key()
	db := openAdmin(t, url)
	members[0].eventually(20*time.Second, "the first scan", func() bool {
		return count(t, db, `SELECT count(*) FROM songs WHERE available = 1`) == 14
	})
	l := newLoad(t, secret, members...)
	span, victims := 500*time.Millisecond, members[:1]
	if testenv.Long() {
		span, victims = 3*time.Second, members
	}
	faults := 0
	for _, m := range victims {
		t.Logf("server %s is killed", m.name)
		l.whileDown(m, func() {
			m.kill()
			l.run(span)
			m.start(flags...)
			m.ready()
		})
		faults++
	}
	t.Log("the replica is killed")
	replica.Kill()
	l.run(span)
	replica.Restart(t)
	l.run(span)

	t.Log("the storage is killed")
	// The load allows no 503 while the storage is down: lists do not need it. Songs do.
	song := func(m *member) response {
		return (&load{t: t, secret: secret, http: l.http}).send(t.Context(), m, "GET",
			"/api/songs/"+l.songs[0]+"/stream", "", "")
	}
	storage.Kill()
	for _, m := range members {
		if s := song(m); s.status != 503 || s.retry == "" {
			t.Errorf("a song of %s without the storage: got %d, Retry-After %q; want 503", m.name, s.status, s.retry)
		}
	}
	l.run(span)
	storage.Run()
	healed := members[0].eventually(recovery, "songs after the storage is back", func() bool {
		for _, m := range members {
			if song(m).status != 200 {
				return false
			}
		}
		return true
	})
	l.run(span)
	l.stop()
	faults += 2

	violations := l.violations(t)
	var page struct {
		Songs []struct {
			ID   string
			File struct{ Path string }
		}
	}
	s := l.send(t.Context(), members[1], "GET", "/api/songs?limit=50&with=file", "", "")
	if err := json.Unmarshal(s.body, &page); err != nil || len(page.Songs) != 14 {
		t.Fatalf("songs after all faults: got %d of 14, %v: %s", len(page.Songs), err, s.body)
	}
	for _, song := range page.Songs {
		for _, m := range members {
			got := l.send(t.Context(), m, "GET", "/api/songs/"+song.ID+"/stream", "", "")
			if want := contents[path.Base(song.File.Path)]; got.status != 200 || !bytes.Equal(got.body, want) {
				t.Errorf("%s at %s: got %d, %d bytes; want 200, %d bytes", song.File.Path, m.name, got.status,
					len(got.body), len(want))
				violations++
			}
		}
	}
	if rows := count(t, db, `SELECT count(*) FROM plays`); rows != l.acknowledged() {
		t.Errorf("stored plays: got %d, want the %d acknowledged", rows, l.acknowledged())
		violations++
	}
	testenv.Report(t, testenv.ObjectStorage, testenv.Tally{
		Inputs: l.requests(), Faults: faults, Violations: violations,
		Note: fmt.Sprintf("three servers, a replica, one bucket: %d plays counted once, songs again after %d ms of 5000",
			l.acknowledged(), healed.Milliseconds()),
	})
}
