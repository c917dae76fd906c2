package mpd

import (
	"context"
	"sync"
	"time"
)

// keepPicture is how long the last picture stays in memory: clients read it in many small parts.
const keepPicture = 30 * time.Second

// lastPicture is the picture that was requested last.
type lastPicture struct {
	mu    sync.Mutex
	url   string
	bytes []byte
	kind  string
	timer *time.Timer
}

// read returns a picture of the catalog.
func (l *lastPicture) read(ctx context.Context, s *Server, url string) ([]byte, string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.url != url {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		bytes, kind, err := s.cfg.Catalog.Picture(ctx, url)
		if err != nil {
			return nil, "", catalogError(err, "No file exists")
		}
		l.url, l.bytes, l.kind = url, bytes, kind
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(keepPicture, l.drop)
	} else {
		l.timer.Reset(keepPicture)
	}
	return l.bytes, l.kind, nil
}

func (l *lastPicture) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.url, l.bytes = "", nil
}

// picture sends a part of the cover of a song. Both commands send the same picture: the catalog
// has one for each song, from its file or its folder.
func (s *session) picture(args []string, required bool) error {
	offset, err := integer(args[1], 0, 1<<31-1)
	if err != nil {
		return err
	}
	_, one, err := s.entry(args[:1])
	if one == nil && required && (err == nil || err == errNoFolder) {
		one, err = s.pictured(parent(args[0]))
	}
	switch {
	case one == nil && required && err == nil:
		return ack(codeNoExist, "No file exists")
	case one == nil:
		return songError(err)
	case !one.picture && required:
		return ack(codeNoExist, "No file exists")
	case !one.picture:
		return nil
	}
	bytes, kind, err := s.srv.picture.read(s.ctx, s.srv, one.cover)
	if err != nil {
		return err
	}
	if offset > len(bytes) {
		return ack(codeArg, "Offset too large")
	}
	part := bytes[offset:min(len(bytes), offset+s.binaryLimit)]
	s.out.number("size", len(bytes))
	if !required && kind != "" {
		s.out.pair("type", kind)
	}
	s.out.number("binary", len(part))
	s.out.raw(part)
	s.out.text("\n")
	return nil
}

// pictured returns a song of a folder that has a picture; nil if there is none. Clients request the
// cover of a folder by any path in it, such as that of the folder with a slash at its end.
func (s *session) pictured(dir string) (*song, error) {
	lib, err := s.library()
	if err != nil {
		return nil, err
	}
	f, _ := lib.find(dir)
	if f == nil {
		return nil, nil //nolint:nilnil // no picture is an ordinary answer
	}
	for _, one := range f.songs {
		if one.picture {
			return one, nil
		}
	}
	return nil, nil //nolint:nilnil // see above
}
