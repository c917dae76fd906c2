package timestamp_test

import (
	"encoding/json"
	"testing"
	"time"

	"waxwing/api/timestamp"
)

func TestOneForm(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 11, 15, 8, 30, 0, 0, time.UTC), `"2026-11-15T08:30:00.000Z"`},
		{time.Date(2026, 11, 15, 9, 30, 0, 123_999_999, berlin), `"2026-11-15T08:30:00.123Z"`},
	} {
		got, err := json.Marshal(timestamp.At(tt.at))
		if err != nil || string(got) != tt.want {
			t.Errorf("%v is %s, %v; want %s", tt.at, got, err, tt.want)
		}
		var back timestamp.Time
		if err := json.Unmarshal(got, &back); err != nil || !back.Equal(tt.at.Truncate(time.Millisecond)) {
			t.Errorf("%s reads back as %v, %v", got, back, err)
		}
	}
	for _, bad := range []string{`5`, `"yesterday"`, `{}`} {
		if json.Unmarshal([]byte(bad), new(timestamp.Time)) == nil {
			t.Errorf("%s was read as a time", bad)
		}
	}
}

func TestEveryMomentHasTheFormOfTheLayout(t *testing.T) {
	at := time.Date(1969, 12, 31, 23, 59, 0, 0, time.UTC)
	for range 5000 {
		at = at.Add(97*time.Hour + 1_037_041_999*time.Nanosecond)
		want := `"` + at.Format("2006-01-02T15:04:05.000Z") + `"`
		if got := string(timestamp.At(at).AppendFormat(nil)); got != want {
			t.Fatalf("%v is %s; want %s", at, got, want)
		}
	}
}
