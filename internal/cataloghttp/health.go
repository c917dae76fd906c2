package cataloghttp

import (
	"net/http"
	"path"
	"path/filepath"

	"waxwing/api/catalogapi"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

func (s *server) health(*http.Request, httpkit.None) (catalogapi.Health, error) {
	return catalogapi.Health{OK: true, Status: "running"}, nil
}

func (s *server) ready(r *http.Request, _ httpkit.None) (catalogapi.Health, error) {
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(); err != nil {
			return catalogapi.Health{}, err
		}
	}
	h := catalogapi.Health{OK: true, Status: "ready"}
	if s.cfg.Storage != nil {
		if problem := s.cfg.Storage(r.Context()); problem != "" {
			h.Storage = &problem
		}
	}
	return h, s.store.Ping(r.Context())
}

// startScan requests a scan of the music folders.
func (s *server) startScan(_ *http.Request, in catalogapi.StartScan) (catalogapi.ScanReply, error) {
	if s.cfg.StartScan == nil {
		return catalogapi.ScanReply{}, fault.New(fault.Unavailable, "this server does not scan")
	}
	s.cfg.StartScan(in.Full != nil && *in.Full)
	return s.scan(nil, httpkit.None{})
}

func (s *server) scan(*http.Request, httpkit.None) (catalogapi.ScanReply, error) {
	var out catalogapi.ScanReply
	if s.cfg.Scan != nil {
		out.Scan = s.cfg.Scan()
	}
	out.Scan.SongsVersion = songsVersion(s.store.View()) // last: it covers a scan that has ended
	return out, nil
}

// folders lists the music folders. It names only their last part: the rest of a path may name
// accounts of this machine.
func (s *server) folders(r *http.Request, _ httpkit.None) (catalogapi.FolderList, error) {
	found, err := s.store.Folders(r.Context())
	out := catalogapi.FolderList{Folders: make([]catalogapi.Folder, len(found))}
	for i, f := range found {
		name := path.Base(filepath.ToSlash(f.Root))
		out.Folders[i] = catalogapi.Folder{Name: name, SongCount: f.Songs, Problems: f.Problems}
	}
	return out, err
}
