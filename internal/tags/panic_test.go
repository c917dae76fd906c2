package tags_test

import (
	"errors"
	"testing"

	"waxwing/internal/tags"
)

type panicReader struct{}

func (panicReader) ReadAt([]byte, int64) (int, error) { panic("a bug") }

func TestPanicOfAParserIsADamagedFile(t *testing.T) {
	var r tags.Reader
	if _, err := r.Read(panicReader{}, 1000); !errors.Is(err, tags.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}
