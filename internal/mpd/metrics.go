package mpd

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	commands *prometheus.CounterVec
	refused  prometheus.Counter
	denied   prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	m := metrics{
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waxwing_mpd_commands_total", Help: "Commands of MPD clients, by result.",
		}, []string{"result"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waxwing_mpd_connections_refused_total", Help: "Connections of MPD clients closed because of the limit.",
		}),
		denied: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waxwing_mpd_denied_total", Help: "Wrong passwords and commands without permission of MPD clients.",
		}),
	}
	for _, result := range []string{"ok", "error"} {
		m.commands.WithLabelValues(result) // a metric is exposed from the start
	}
	reg.MustRegister(m.commands, m.refused, m.denied)
	return m
}
