package cataloghttp

import (
	"context"
	"net/http"

	"waxwing/api/catalogapi"
	"waxwing/internal/httpkit"
)

// events streams the revision of the catalog: at once, and after each change.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	return httpkit.ServeEvents(w, r, func(ctx context.Context, out *httpkit.EventWriter) error {
		for {
			view := s.store.View()
			data, err := encode(catalogapi.Revision{Revision: string(appendRevision(nil, view))})
			if err == nil {
				err = out.Send("revision", data)
			}
			if err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-view.Superseded():
			}
		}
	})
}
