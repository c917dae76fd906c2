package app

import (
	"database/sql"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"waxwing/internal/catalog"
	"waxwing/internal/player"
	"waxwing/internal/scan"
)

// newRegistry holds the metrics of one process. docs/deploy.md lists them all; a test compares.
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
	gauge(r, "waxwing_build_info", "What runs here; always 1.", func() float64 { return 1 },
		"version", version, "revision", revision, "go", runtime.Version())
	return r
}

// gauge registers a value that is read when somebody looks. labels are names and values.
func gauge(r prometheus.Registerer, name, help string, read func() float64, labels ...string) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: pairs(labels)}, read))
}

// counter is a gauge that only grows.
func counter(r prometheus.Registerer, name, help string, read func() float64, labels ...string) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: pairs(labels)}, read))
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
	counter(r, scans, "Scans that ended, by result.", func() float64 { return float64(s.Stats().Scans) }, "result", "done")
	counter(r, scans, "Scans that ended, by result.", func() float64 { return float64(s.Stats().Failures) }, "result", "failed")
	const help = "Audio files in the scans that ended: seen, of those read because new or changed, of those not readable."
	counter(r, files, help, func() float64 { return float64(s.Stats().Found) }, "state", "seen")
	counter(r, files, help, func() float64 { return float64(s.Stats().Read) }, "state", "read")
	counter(r, files, help, func() float64 { return float64(s.Stats().Problems) }, "state", "unreadable")
	gauge(r, "waxwing_scan_running", "1 while a scan runs in this process.", func() float64 { return truth(s.Progress().Running()) })
	gauge(r, "waxwing_scan_last_duration_seconds", "How long the last scan that ended well took.", func() float64 { return s.Stats().LastTook.Seconds() })
	gauge(r, "waxwing_scan_last_success_timestamp_seconds", "When a scan last ended well; 0 for never in this process.", func() float64 {
		if at := s.Stats().LastSuccess; !at.IsZero() {
			return float64(at.UnixMilli()) / 1000
		}
		return 0
	})
}

func measurePools(r prometheus.Registerer, store *catalog.Store) {
	for name := range store.Pools() {
		stats := func(read func(sql.DBStats) float64) func() float64 {
			return func() float64 { return read(store.Pools()[name]) }
		}
		gauge(r, "waxwing_db_connections_open", "Connections to the database, by pool.", stats(func(s sql.DBStats) float64 { return float64(s.OpenConnections) }), "pool", name)
		gauge(r, "waxwing_db_connections_in_use", "Of those, busy now.", stats(func(s sql.DBStats) float64 { return float64(s.InUse) }), "pool", name)
		gauge(r, "waxwing_db_connections_max", "The most there may be; 0 for no bound.", stats(func(s sql.DBStats) float64 { return float64(s.MaxOpenConnections) }), "pool", name)
		counter(r, "waxwing_db_waits_total", "Requests that had to wait for a connection.", stats(func(s sql.DBStats) float64 { return float64(s.WaitCount) }), "pool", name)
		counter(r, "waxwing_db_wait_seconds_total", "How long they waited, all together.", stats(func(s sql.DBStats) float64 { return s.WaitDuration.Seconds() }), "pool", name)
	}
}

func measurePlayer(r prometheus.Registerer, p *player.Player, plays *player.Plays) {
	figure := func(read func(player.Stats) int64) func() float64 {
		return func() float64 { return float64(read(p.Stats())) }
	}
	counter(r, "waxwing_player_underruns_total", "How often the sound stopped because samples came too late.", figure(func(f player.Stats) int64 { return f.Underruns }))
	counter(r, "waxwing_player_heard_total", "Tracks heard for 30 s or half their length.", figure(func(f player.Stats) int64 { return f.Played }))
	counter(r, "waxwing_player_skipped_total", "Tracks skipped because they cannot be played.", figure(func(f player.Stats) int64 { return f.Skipped }))
	counter(r, "waxwing_player_save_failures_total", "Attempts to save the queue and the place that failed.", figure(func(f player.Stats) int64 { return f.SaveFailures }))
	gauge(r, "waxwing_player_playing", "1 while the listener wants music.", func() float64 { return truth(p.Status().Playing) })
	gauge(r, "waxwing_player_sounding", "1 while sound comes out. Playing without sounding: a track loads, or the output or the catalog is away.", func() float64 { return truth(p.Status().Running) })
	gauge(r, "waxwing_player_queue_length", "Tracks in the queue.", func() float64 { return float64(len(p.Status().Queue)) })

	gauge(r, "waxwing_player_plays_waiting", "Plays kept on disk until the catalog takes them.", func() float64 { return float64(plays.Stats().Pending) })
	const reports = "waxwing_player_plays_reported_total"
	counter(r, reports, "Plays reported to the catalog, by result.", func() float64 { return float64(plays.Stats().Sent) }, "result", "taken")
	counter(r, reports, "Plays reported to the catalog, by result.", func() float64 { return float64(plays.Stats().Refused) }, "result", "refused")
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
