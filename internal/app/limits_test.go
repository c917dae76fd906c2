package app

import "testing"

func TestLimitsLeaveFilesForTheState(t *testing.T) {
	for files, want := range map[int]int{64: 16, 1024: 192, 4096: 896, 20000: 4375, 65536: 8192, 1 << 20: 8192} {
		if got := defaultConnections(files); got != want {
			t.Errorf("%d files: got %d connections, want %d", files, got, want)
		}
	}
	limits := (&App{cfg: Config{MaxConnections: 100}}).limits()
	if limits.Connections != 100 || limits.PerAddress != 50 || limits.Requests != 50 {
		t.Errorf("got %+v, want 100, 50 and 50", limits)
	}
}
