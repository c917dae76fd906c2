package cataloghttp

import (
	"context"
	"net/http"
	"strconv"

	"waxwing/api/catalogapi"
	"waxwing/internal/httpkit"
)

// events streams the revision of the catalog and the version of the viewer's own data: at once, and
// after each change.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	who := viewer(r.Context())
	return httpkit.ServeEvents(w, r, func(ctx context.Context, out *httpkit.EventWriter) error {
		revision, version := int64(-1), int64(-1)
		for {
			view := s.store.View()
			if view.Revision != revision {
				revision = view.Revision
				now := catalogapi.Revision{Revision: string(appendRevision(nil, view)), SongsVersion: songsVersion(view)}
				if err := send(out, "revision", now); err != nil {
					return err
				}
			}
			if now := view.PersonalVersion(who); now != version {
				version = now
				text := view.Epoch + "." + strconv.FormatInt(version, 36)
				if err := send(out, "personal", catalogapi.PersonalVersion{Version: text}); err != nil {
					return err
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-view.Superseded():
			}
		}
	})
}

func send(out *httpkit.EventWriter, name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	return out.Send(name, data)
}
