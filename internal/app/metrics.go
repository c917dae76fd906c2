package app

import (
	"database/sql"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"waxwing/internal/catalog"
	"waxwing/internal/player"
	"waxwing/internal/scan"
)

// newRegistry returns a registry with the metrics of the process. A test compares all metrics with
// the table in docs/deploy.md.
func newRegistry(version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	revision := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	gauge(r, "waxwing_build_info", "Version of this process; always 1.", func() float64 { return 1 },
		"version", version, "revision", revision, "go", runtime.Version())
	return r
}

// registryOf returns the registry of a server.
func (a *App) registryOf(server string) *prometheus.Registry {
	if server == "player" {
		return a.playing
	}
	return a.registry
}

// allMetrics are those of the whole process.
func (a *App) allMetrics() prometheus.Gatherer { return prometheus.Gatherers{a.registry, a.playing} }

// gauge registers a value that is read at each scrape. labels are pairs of name and value.
func gauge(r prometheus.Registerer, name, help string, read func() float64, labels ...string) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: pairs(labels)}, read),
	)
}

// counter registers a value that only grows.
func counter(r prometheus.Registerer, name, help string, read func() float64, labels ...string) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: pairs(labels)},
		read))
}

func pairs(labels []string) prometheus.Labels {
	l := prometheus.Labels{}
	for i := 0; i < len(labels); i += 2 {
		l[labels[i]] = labels[i+1]
	}
	return l
}

func measureScans(r prometheus.Registerer, s *scan.Scanner) {
	const scans, files = "waxwing_scan_runs_total", "waxwing_scan_files_total"
	counter(r, scans, "Completed scans, by result.", func() float64 { return float64(s.Stats().Scans) }, "result", "done")
	counter(r, scans, "Completed scans, by result.", func() float64 { return float64(s.Stats().Failures) }, "result",
		"failed")
	const help = "Audio files in completed scans: all found, those read because new or changed, those unreadable."
	counter(r, files, help, func() float64 { return float64(s.Stats().Found) }, "state", "found")
	counter(r, files, help, func() float64 { return float64(s.Stats().Read) }, "state", "read")
	counter(r, files, help, func() float64 { return float64(s.Stats().Problems) }, "state", "unreadable")
	gauge(r, "waxwing_scan_running", "1 while a scan runs in this process.",
		func() float64 { return truth(s.Progress().Running()) })
	gauge(r, "waxwing_scan_last_duration_seconds", "Duration of the last successful scan.",
		func() float64 { return s.Stats().LastTook.Seconds() })
	gauge(
		r,
		"waxwing_scan_last_success_timestamp_seconds",
		"Time of the last successful scan; 0 if none in this process.",
		func() float64 {
			if at := s.Stats().LastSuccess; !at.IsZero() {
				return float64(at.UnixMilli()) / 1000
			}
			return 0
		},
	)
}

func measurePools(r prometheus.Registerer, store *catalog.Store) {
	for name := range store.Pools() {
		stats := func(read func(sql.DBStats) float64) func() float64 {
			return func() float64 { return read(store.Pools()[name]) }
		}
		gauge(r, "waxwing_db_connections_open", "Connections to the database, by pool.",
			stats(func(s sql.DBStats) float64 { return float64(s.OpenConnections) }), "pool", name)
		gauge(r, "waxwing_db_connections_in_use", "Connections in use, by pool.",
			stats(func(s sql.DBStats) float64 { return float64(s.InUse) }), "pool", name)
		gauge(r, "waxwing_db_connections_max", "Limit of connections, by pool; 0 for none.",
			stats(func(s sql.DBStats) float64 { return float64(s.MaxOpenConnections) }), "pool", name)
		counter(r, "waxwing_db_waits_total", "Requests that waited for a connection, by pool.",
			stats(func(s sql.DBStats) float64 { return float64(s.WaitCount) }), "pool", name)
		counter(r, "waxwing_db_wait_seconds_total", "Total time of these waits.",
			stats(func(s sql.DBStats) float64 { return s.WaitDuration.Seconds() }), "pool", name)
	}
}

func measureReplicas(r prometheus.Registerer, store *catalog.Store) {
	replicas, _ := store.Replicas()
	if len(replicas) == 0 {
		return
	}
	const reads, help = "waxwing_db_reads_total", "Requests for lists and rows that were not in memory, by database."
	counter(r, reads, help, func() float64 { _, n := store.Replicas(); return float64(n) }, "database", "primary")
	for i, replica := range replicas {
		now := func() catalog.ReplicaStats { all, _ := store.Replicas(); return all[i] }
		name := fmt.Sprintf("%d %s", i+1, replica.Name) // two may have one name
		counter(r, reads, help, func() float64 { return float64(now().Reads) }, "database", name)
		gauge(r, "waxwing_db_replica_current", "1 while the replica has the newest known changes and is used, 0 otherwise.",
			func() float64 { return truth(now().Problem == "") }, "database", name)
		gauge(r, "waxwing_db_replica_behind_bytes", "Bytes of the write-ahead log that the replica lacks.",
			func() float64 { return float64(now().Behind) }, "database", name)
	}
}

func measurePlayer(r prometheus.Registerer, p *player.Player, plays *player.Plays) {
	figure := func(read func(player.Stats) int64) func() float64 {
		return func() float64 { return float64(read(p.Stats())) }
	}
	counter(r, "waxwing_player_underruns_total", "Interruptions because samples came too late.",
		figure(func(f player.Stats) int64 { return f.Underruns }))
	counter(r, "waxwing_player_played_total", "Tracks played for 30 s or half their length.",
		figure(func(f player.Stats) int64 { return f.Played }))
	counter(r, "waxwing_player_skipped_total", "Tracks skipped because they cannot be played.",
		figure(func(f player.Stats) int64 { return f.Skipped }))
	counter(r, "waxwing_player_save_failures_total", "Failed attempts to save the queue and the position.",
		figure(func(f player.Stats) int64 { return f.SaveFailures }))
	gauge(r, "waxwing_player_playing", "1 while playback is requested.",
		func() float64 { return truth(p.Status().Playing) })
	gauge(r, "waxwing_player_output_running", "1 while the output plays. 0 while waxwing_player_playing is 1: a track "+
		"loads, "+
		"or the output or the catalog is unavailable.", func() float64 { return truth(p.Status().Running) })
	gauge(r, "waxwing_player_queue_length", "Tracks in the queue.",
		func() float64 { return float64(len(p.Status().Queue)) })

	gauge(r, "waxwing_player_plays_pending", "Plays stored until they are reported to the catalog.",
		func() float64 { return float64(plays.Stats().Pending) })
	const reports = "waxwing_player_plays_reported_total"
	counter(r, reports, "Plays reported to the catalog, by result.",
		func() float64 { return float64(plays.Stats().Sent) }, "result", "accepted")
	counter(r, reports, "Plays reported to the catalog, by result.",
		func() float64 { return float64(plays.Stats().Refused) }, "result", "rejected")
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
