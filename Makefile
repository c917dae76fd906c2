# Waxwing. `make` builds, `make check` and `make test` run the tests; `make help` lists all targets.

GO      ?= go
PKGS    ?= ./...
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1.0-dev)
PACKAGE ?= 0.1.0~dev+$(shell git log -1 --format=%cd.%h --date=format:%Y%m%d%H%M 2>/dev/null)
STATIC  := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'

.PHONY: build run check test deps lint fast unit realtime untimed static cross generate demo bench databases engines clients fuzz \
	trust thorough suites soak licences sbom reproducible sizing vuln dead man packages help

build: ## Build one static binary, ./waxwing
	$(STATIC) -o waxwing .

run: ## Start catalog and player with the demo music
	$(GO) run .

# --- Tests -------------------------------------------------------------------------------------------

# Packages that play, record or measure in real time. They run one at a time: next to other tests, a
# small machine is sometimes late, and a recording shows it.
REALTIME := /internal/audio/output|/internal/mpris

# The race detector watches everything of ours. It leaves out libraries that compute and share nothing
# with other goroutines: SQLite and its C library, which are translated from C, and the Opus decoder.
# There it multiplies the time and finds nothing; Go locks synchronize us with SQLite, and those it
# does watch.
RACE := -race $(foreach p,modernc.org/sqlite/lib modernc.org/libc/... github.com/thesyncim/gopus/...,-gcflags='$(p)=-race=false')

# -vet=off: lint has vetted the same files. The order of tests is random in CI only: it disables the
# test cache, which makes a second run short.
TEST := CI=true GO=$(GO) scripts/retest -vet=off -ldflags=-w $(if $(CI),-shuffle=on) -timeout 30m

check: lint fast ## Lint and fast tests: no services, no race detector, cached results (under 1 min if little changed)

test: deps ## Everything, unit tests with the race detector; installs what it needs (about 10 min on 2 cores)
	$(GO) build $(RACE) ./...
	$(MAKE) -j2 realtime untimed

# Temporary files are in memory if possible: tests sync files all the time, and on one disk would
# delay each other by seconds.
IN_MEMORY := GOTMPDIR=$${TMPDIR:-/tmp} TMPDIR=$$(scripts/memory-dir)

# Tests that depend on real time mostly wait; everything else runs in that time, at a low priority.
untimed:
	MAKEFLAGS= $(IN_MEMORY) nice -n 15 $(MAKE) -j2 unit static

static: lint cross

deps: ## Install what the tests need (Debian packages; root or sudo)
	scripts/install-test-deps

lint: ## gofmt, go vet, staticcheck, errcheck
	scripts/lint $(PKGS)

fast: ## Tests in their short form, without services; unchanged packages come from the test cache
	$(GO) test -short -vet=off $$($(GO) list $(PKGS) | grep -vE '/e2e$$')

unit: ## Tests that do not depend on real time, with the race detector; none is skipped
	cd composer && $(GO) test ./...
	$(TEST) $(RACE) -p 4 -- $$($(GO) list ./... | grep -vE '$(REALTIME)|/e2e$$')

# The end-to-end tests start the program as users have it, in other processes. The race detector would
# watch the test code only.
realtime: ## Tests of playback, with the race detector, and of the whole program; none is skipped
	$(IN_MEMORY) $(TEST) $(RACE) -p 1 -- $$($(GO) list ./... | grep -E '$(REALTIME)')
	$(IN_MEMORY) $(TEST) -- ./e2e

cross: ## Build the binary for every supported system, into dist/
	GOOS=linux   GOARCH=amd64 $(STATIC) -o dist/waxwing-linux-amd64 .
	GOOS=linux   GOARCH=arm64 $(STATIC) -o dist/waxwing-linux-arm64 .
	GOOS=darwin  GOARCH=arm64 $(STATIC) -o dist/waxwing-darwin-arm64 .
	GOOS=windows GOARCH=amd64 $(STATIC) -o dist/waxwing-windows-amd64.exe .

engines: build ## Web player in Firefox and WebKit (needs firefox-esr, webkit2gtk-driver, xvfb, Node.js 20.10+)
	cd e2e/browser && npm ci --no-audit --no-fund --silent && ENGINES="$(ENGINES)" \
		WAXWING_PROGRAM=$(CURDIR)/waxwing node --experimental-websocket --no-warnings --test engines.mjs

clients: ## Apps of others against the Subsonic API, desktop clients of MPD; installs them (WAXWING_CLIENTS=1 go test ./e2e -run Client)
	scripts/install-test-deps clients
	command -v stmps || GOBIN=$(CURDIR)/dist CGO_ENABLED=1 $(GO) install github.com/spezifisch/stmps@18c3f9b6fabd
	PATH=$$PATH:$(CURDIR)/dist WAXWING_CLIENTS=1 $(TEST) -- ./e2e -v \
		-run 'Client$$|TestMpd[a-z]|TestNcmpc|TestPythonMPD|TestPlayerctlThrough'

fuzz: ## Run every fuzz target for FUZZTIME (30s), count inputs (LONG=1: 5 min each, recorded for docs/trust.md)
	$(if $(LONG),FUZZTIME=5m FUZZRECORD=e2e/trust/fuzz_record.jsonl) scripts/fuzz

trust: ## Try to break every promise and write docs/trust.md (LONG=1: long forms, takes hours)
	$(GO) run ./e2e/trust $(if $(LONG),-long)

thorough: ## Long forms of the tests of decoders and scanner
	WAXWING_LONG=1 $(GO) test ./internal/scan ./internal/audio/flac -timeout 30m
	$(GO) test ./internal/audio/decode -thorough -timeout 30m
	$(GO) test ./internal/audio/mp3 -run TestMutations -timeout 30m -args -mutations=100000

suites: ## Decode public test suites beside reference decoders, into docs/suites.md (SUITES=/path)
	$(GO) run ./e2e/suites $(SUITES)

SOAK ?= 10m

soak: ## Skips, seeks, lost devices, restarts and stalled clients at the same time, for SOAK (10m)
	SOAK=$(SOAK) $(GO) test ./e2e -run '^TestSoak$$' -v -timeout 24h

# --- Measurements ------------------------------------------------------------------------------------

bench: ## Measure against bare implementations and other programs, into bench/RESULTS.md (ONLY=page,song)
	$(GO) run ./bench $(if $(ONLY),-only $(ONLY))

databases: ## Compare filled databases, into bench/DATABASES.md (DB="catalog.db postgres://…", see bench/databases)
	$(GO) run ./bench/databases -w bench/DATABASES.md $(foreach db,$(DB),--db '$(db)')

sizing: ## Write the table of docs/scale.md from the results of the benchmarks
	$(GO) run ./bench/sizing -w docs/scale.md

# --- Generated files ---------------------------------------------------------------------------------

generate: ## Generate the wire types from the OpenAPI documents
	$(GO) generate ./api/...

demo: ## Generate the embedded demo music (needs ffmpeg)
	cd composer && $(GO) run .

# --- Release -----------------------------------------------------------------------------------------

licences: ## List the licences of the modules in the binary
	$(GO) run ./packaging/licences .

sbom: build ## Write dist/waxwing.cdx.json, the software bill of materials
	mkdir -p dist
	$(GO) run ./packaging/sbom waxwing dist/waxwing.cdx.json

reproducible: ## Build the last commit twice in different directories and compare the bytes
	scripts/reproducible

vuln: ## Check for known vulnerabilities, with govulncheck if available
	scripts/vuln

dead: ## List functions of the binary that nothing calls
	@found=$$($(GO) run golang.org/x/tools/cmd/deadcode@v0.52.0 .) && test -z "$$found" || { echo "$$found"; exit 1; }

man: build ## Write the manual page and the shell completions for packages, into dist/
	mkdir -p dist
	./waxwing man | gzip -9n >dist/waxwing.1.gz
	./waxwing completion bash >dist/waxwing.bash
	./waxwing completion zsh >dist/_waxwing
	./waxwing completion fish >dist/waxwing.fish

packages: man sbom ## Build packages for Debian, Fedora and Alpine, into dist/ (needs nfpm on PATH)
	for kind in deb rpm apk; do VERSION=$(PACKAGE) GOARCH=$$($(GO) env GOARCH) \
		SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
		nfpm package --config packaging/nfpm.yaml --packager $$kind --target dist/ || exit 1; done

help: ## Show this list
	@awk '/^# --- /{gsub(/^# -+ | -+$$/,""); print "\n" $$0} \
		/^[a-z]+:.*## /{n=$$1; sub(/:.*/,"",n); sub(/^.*## /,""); printf "  %-13s %s\n", n, $$0}' $(MAKEFILE_LIST)
