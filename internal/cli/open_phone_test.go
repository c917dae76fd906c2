package cli

import (
	"strings"
	"testing"
)

func TestQRCodesAreDrawnInHalfBlocksWithAQuietZone(t *testing.T) {
	got := strings.NewReplacer("\x1b[30;107m", "[", "\x1b[0m", "]").Replace(drawQR([]string{"101", "110", "001"}))
	want := "[       ]\n[  █▄▀  ]\n[    ▀  ]\n[       ]\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
