package cli

import (
	"bytes"
	"testing"
)

func TestTablesAlignByDisplayWidth(t *testing.T) {
	var out bytes.Buffer
	table := newTable(&out, "TITLE", "ARTIST", "ID")
	table.row("夜に駆ける", "YOASOBI", "1")
	table.row("Cafe\u0301", "봄", "2")
	table.row("Plain", "", "3")
	want := "TITLE       ARTIST   ID\n" +
		"夜に駆ける  YOASOBI  1\n" +
		"Cafe\u0301        봄       2\n" +
		"Plain                3\n"
	if err := table.flush(); err != nil || out.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, out.String(), want)
	}
}
