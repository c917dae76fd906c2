package s3

import (
	"testing"

	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
