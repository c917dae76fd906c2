package app

import "waxwing/internal/httpkit"

const (
	maxConnections = 8192 // of one listener by default; each costs about 20 KB
	maxRequests    = 1024 // in progress of one credential
	filesReserve   = 256  // at least, for state files, the database, decoders and the control socket
)

// limits returns the limits of one listener of this process.
func (a *App) limits() httpkit.Limits {
	n := a.cfg.MaxConnections
	if n == 0 {
		n = defaultConnections(openFiles())
	}
	half := max(1, n/2)
	return httpkit.Limits{Connections: n, PerAddress: half, Requests: min(half, maxRequests)}
}

// defaultConnections returns how many connections a listener accepts in a process that may open so
// many files. One stream through the player's proxy takes four of them: the client's connection,
// both ends of the one to the catalog, and the song.
func defaultConnections(files int) int {
	return max(16, min(maxConnections, (files-max(filesReserve, files/8))/4))
}
