package mpd

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	ok      prometheus.Counter // of commands
	failed  prometheus.Counter // of commands
	refused prometheus.Counter
	denied  prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	commands := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_mpd_commands_total", Help: "Commands of MPD clients, by result.",
	}, []string{"result"})
	m := metrics{
		ok: commands.WithLabelValues("ok"), failed: commands.WithLabelValues("error"),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waxwing_mpd_connections_refused_total", Help: "Connections of MPD clients closed because of the limit.",
		}),
		denied: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waxwing_mpd_denied_total", Help: "Wrong passwords and commands without permission of MPD clients.",
		}),
	}
	reg.MustRegister(commands, m.refused, m.denied)
	return m
}
