package cli

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"
)

// logger writes to w as the settings ask.
func (s logSettings) logger(w io.Writer, terminal bool) *slog.Logger {
	level := slog.LevelInfo
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the parser lets only known words through
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal}))
}
