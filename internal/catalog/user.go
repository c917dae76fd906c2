package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// User owns keys and playlists. All fields are public.
type User struct {
	ID            string
	Username      string
	Name          string
	Bio           string // empty: none
	Cover         string // hash of the avatar
	PlaylistCount int64  // public ones
	CreatedAt     time.Time

	num int64
}

// Viewer is the user for whom private data is read. The zero Viewer sees public data only.
type Viewer struct{ num int64 }

// Tag distinguishes viewers in cache keys. That of the zero Viewer is empty.
func (v Viewer) Tag() string {
	if v.num == 0 {
		return ""
	}
	return strconv.FormatInt(v.num, 36)
}

// Viewer returns the user as a viewer.
func (u User) Viewer() Viewer { return Viewer{u.num} }

const userColumns = `u.num, u.id, u.username, u.name, u.bio, u.cover, u.created_at,
	(SELECT count(*) FROM playlists p WHERE p.owner = u.num AND p.public = 1)`

func scanUser(rows *sql.Rows) (User, error) {
	var u User
	var bio sql.NullString
	var created int64
	err := rows.Scan(&u.num, &u.ID, &u.Username, &u.Name, &bio, &u.Cover, &created, &u.PlaylistCount)
	u.Bio, u.CreatedAt = bio.String, time.UnixMilli(created)
	return u, err
}

// User returns one user by username, ignoring case.
func (s *Store) User(ctx context.Context, username string) (User, error) {
	s = s.on(ctx)
	name := strings.ToLower(username)
	if !isUsername(name) {
		return User{}, notFound("user", username)
	}
	return s.userWhere(ctx, username, `u.username = $1`, name)
}

// userNum returns the number of a user without counting playlists.
func (s *Store) userNum(ctx context.Context, username string) (num int64, err error) {
	name := strings.ToLower(username)
	if !isUsername(name) {
		return 0, notFound("user", username)
	}
	err = s.read.QueryRowContext(ctx, `SELECT num FROM users WHERE username = $1`, name).Scan(&num)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, notFound("user", username)
	}
	if err != nil {
		return 0, s.d.explain(fmt.Errorf("read user %s: %w", name, err))
	}
	return num, nil
}

func (s *Store) userWhere(ctx context.Context, name, where string, args ...any) (User, error) {
	found, err := collect(ctx, s.read, "read a user", scanUser, `SELECT `+userColumns+` FROM users u WHERE `+where,
		args...)
	if err != nil {
		return User{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return User{}, notFound("user", name)
	}
	return found[0], nil
}

// Users lists all users by username.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	users, err := collect(ctx, s.read, "list users", scanUser, `SELECT `+userColumns+` FROM users u ORDER BY u.username`)
	return users, s.d.explain(err)
}

// NewUser describes a user to create. An empty username is derived from the name.
type NewUser struct {
	Username string
	Name     string
	Bio      string
}

// CreateUser creates a user. The first one becomes the active user.
func (s *Store) CreateUser(ctx context.Context, n NewUser) (User, error) {
	name := words.Clean(n.Name, 100)
	if name == "" {
		return User{}, fault.New(fault.Invalid, "a user needs a name")
	}
	username := strings.ToLower(n.Username)
	if username != "" {
		if err := CheckUsername(username); err != nil {
			return User{}, err
		}
	}
	err := s.change(ctx, durable, func(t *tx) error {
		names := newUsernames(t, "users")
		if username == "" {
			taken, err := names.reserve(ctx, usernameFrom(name, "listener"))
			if err != nil {
				return err
			}
			username = taken
		} else if free, err := names.isFree(ctx, username); err != nil {
			return err
		} else if !free {
			return fault.New(fault.Conflict, "the username %s is taken", username)
		}
		avatar := GeneratedCover("user\x1f" + username)
		if err := t.putCovers(ctx, [][]any{avatar.row()}); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, `INSERT INTO users (id, username, name, bio, cover, created_at)
			VALUES ($1, $2, $3, $4, $5, $6)`,
			newID(userPrefix), username, name, null(words.Clean(n.Bio, 1000)), avatar.Hash, t.now)
		if err != nil {
			return fmt.Errorf("insert user %s: %w", username, err)
		}
		_, err = t.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
			settingActiveUser, username)
		if err != nil {
			return fmt.Errorf("make user %s the active one: %w", username, err)
		}
		return nil
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, username)
}

// UserChange holds the fields to change; nil fields stay.
type UserChange struct {
	Name   *string
	Bio    *string
	Avatar *Cover
}

// ChangeUser changes a user's profile. The username is permanent, because links contain it.
func (s *Store) ChangeUser(ctx context.Context, username string, c UserChange) (User, error) {
	u, err := s.User(ctx, username)
	if err != nil {
		return User{}, err
	}
	if c.Name != nil {
		if u.Name = words.Clean(*c.Name, 100); u.Name == "" {
			return User{}, fault.New(fault.Invalid, "a user needs a name")
		}
	}
	if c.Bio != nil {
		u.Bio = words.Clean(*c.Bio, 1000)
	}
	if c.Avatar != nil {
		if !isCoverHash(c.Avatar.Hash) {
			return User{}, fault.New(fault.Invalid, "a cover's hash must be 32 lower-case hex digits")
		}
		u.Cover = c.Avatar.Hash
	}
	err = s.change(ctx, durable, func(t *tx) error {
		if c.Avatar != nil {
			if err := t.putCovers(ctx, [][]any{c.Avatar.row()}); err != nil {
				return err
			}
		}
		_, err := t.ExecContext(ctx, `UPDATE users SET name = $1, bio = $2, cover = $3 WHERE num = $4`, u.Name, null(u.Bio),
			u.Cover, u.num)
		if err != nil {
			return fmt.Errorf("change user %s: %w", username, err)
		}
		return nil
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, u.Username)
}

// ActiveUser returns the owner of this machine's player, or a NotFound fault if there are no users.
func (s *Store) ActiveUser(ctx context.Context) (User, error) {
	username, err := s.setting(ctx, settingActiveUser)
	if errors.Is(err, sql.ErrNoRows) {
		return User{}, fault.New(fault.NotFound, "there is no user yet; create one with: waxwing user create")
	}
	if err != nil {
		return User{}, s.d.explain(err)
	}
	return s.User(ctx, username)
}

// UseUser makes a user the active user.
func (s *Store) UseUser(ctx context.Context, username string) (User, error) {
	u, err := s.User(ctx, username)
	if err != nil {
		return User{}, err
	}
	err = s.change(ctx, durable, func(t *tx) error {
		t.addCount(keysVersion, 1) // keys without an owner now belong to this user
		_, err := t.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
			SET value = excluded.value`,
			settingActiveUser, u.Username)
		if err != nil {
			return fmt.Errorf("use user %s: %w", username, err)
		}
		return nil
	})
	return u, err
}

// EnsureUser returns the active user, and creates one from name if there is none.
func (s *Store) EnsureUser(ctx context.Context, name string) (User, error) {
	u, err := s.ActiveUser(ctx)
	if kind, _ := fault.Of(err); err == nil || kind != fault.NotFound {
		return u, err
	}
	// one of the servers that start at once creates the user
	_, release, err := s.acquire(ctx, migrating, time.Second, nil)
	if err != nil {
		return User{}, err
	}
	defer release()
	u, err = s.ActiveUser(ctx)
	if kind, _ := fault.Of(err); err == nil || kind != fault.NotFound {
		return u, err
	}
	return s.CreateUser(ctx, NewUser{Name: name})
}

// UserOf returns the user of a viewer.
func (s *Store) UserOf(ctx context.Context, v Viewer) (User, error) {
	s = s.on(ctx)
	return s.userWhere(ctx, "me", `u.num = $1`, v.num)
}
