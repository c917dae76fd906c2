package subsonic_test

import (
	"testing"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// cluster is shared by the tests of this package that run on PostgreSQL.
var cluster postgres.Cluster

func TestMain(m *testing.M) { testenv.Main(m, cluster.Stop) }
