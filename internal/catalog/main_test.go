package catalog_test

import (
	"flag"
	"testing"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// cluster is shared by the tests of this package that run on PostgreSQL.
var cluster postgres.Cluster

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "10") // each check is many transactions on each engine
	testenv.Main(m, cluster.Stop)
}
