# Waxwing. `make` builds, `make test` proves; `make help` lists the rest.

GO      ?= go
PKGS    ?= ./...
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1.0-dev)
PACKAGE ?= 0.1.0~dev+$(shell git log -1 --format=%cd.%h --date=format:%Y%m%d%H%M 2>/dev/null)
STATIC  := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'

.PHONY: build man packages licences sbom reproducible vuln dead sizing test deps lint unit cross run generate demo bench databases engines fuzz trust thorough soak help

build: ## One static binary: ./waxwing
	$(STATIC) -o waxwing .

run: ## Start catalog and player with the demo music
	$(GO) run .

test: deps lint cross unit ## Install what the proofs need, then run everything with the race detector

deps: ## Install what the tests need (Debian packages; root or sudo)
	scripts/install-test-deps

lint: ## gofmt, go vet, staticcheck, errcheck
	scripts/lint $(PKGS)

# What is heard in real time is judged by itself, one package at a time: beside other tests a small machine
# is late now and then, and a recording shows it.
REALTIME := /e2e|/internal/audio/output|/internal/mpris

# SQLite is C, translated: to watch each of its memory accesses doubles the time of a test that uses it and tells nothing of
# ours. What synchronizes us with it are Go's own locks, which are watched.
RACE := -race -gcflags='modernc.org/sqlite/lib=-race=false'

unit: ## All tests; nothing may be left out
	cd composer && $(GO) test ./...
	CI=true $(GO) test $(RACE) -shuffle=on -timeout 20m $$($(GO) list ./... | grep -vE '$(REALTIME)')
	CI=true $(GO) test $(RACE) -shuffle=on -timeout 20m -p 1 $$($(GO) list ./... | grep -E '$(REALTIME)')

cross: ## The binary builds for every system we name
	GOOS=linux   GOARCH=amd64 $(STATIC) -o dist/waxwing-linux-amd64 .
	GOOS=linux   GOARCH=arm64 $(STATIC) -o dist/waxwing-linux-arm64 .
	GOOS=darwin  GOARCH=arm64 $(STATIC) -o dist/waxwing-darwin-arm64 .
	GOOS=windows GOARCH=amd64 $(STATIC) -o dist/waxwing-windows-amd64.exe .

generate: ## Wire types from the OpenAPI documents
	$(GO) generate ./api/...

demo: ## Generate the embedded demo music (needs ffmpeg)
	cd composer && $(GO) run .

bench: ## Every figure beside a floor or a peer, in one run, into bench/RESULTS.md (some: make bench ONLY=page,song)
	$(GO) run ./bench $(if $(ONLY),-only $(ONLY))

databases: ## Filled databases side by side, into bench/DATABASES.md (DB="catalog.db postgres://…", see bench/databases)
	$(GO) run ./bench/databases -w bench/DATABASES.md $(foreach db,$(DB),--db '$(db)')

engines: build ## The pages in Firefox and WebKit (needs firefox-esr, webkit2gtk-driver, xvfb and Node.js 20.10 or later)
	cd e2e/browser && npm ci --no-audit --no-fund --silent && ENGINES="$(ENGINES)" WAXWING_PROGRAM=$(CURDIR)/waxwing node --experimental-websocket --no-warnings --test engines.mjs

fuzz: ## Every fuzz target for FUZZTIME (30s), with counts
	scripts/fuzz

trust: ## Run every proof of the battery and write docs/trust.md (LONG=1: the long forms, hours)
	$(GO) run ./e2e/trust $(if $(LONG),-long)

thorough: ## The long forms of the proofs of decoders and scanner
	WAXWING_LONG=1 $(GO) test ./internal/scan -timeout 30m
	$(GO) test ./internal/audio/decode -thorough -timeout 30m
	$(GO) test ./internal/audio/mp3 -run TestMutations -timeout 30m -args -mutations=100000

licences: ## List the licences of what the binary contains
	$(GO) run ./packaging/licences .

sbom: build ## dist/waxwing.cdx.json: what the binary contains
	mkdir -p dist
	$(GO) run ./packaging/sbom waxwing dist/waxwing.cdx.json

reproducible: ## Two builds of the last commit from two places: the same bytes
	scripts/reproducible

sizing: ## The table of docs/scale.md, from the results of the bench
	$(GO) run ./bench/sizing -w docs/scale.md

vuln: ## Known weaknesses, by govulncheck where it can be had
	scripts/vuln

dead: ## Functions of the binary that nothing calls: a promise that was built but never connected
	@found=$$($(GO) run golang.org/x/tools/cmd/deadcode@v0.52.0 .) && test -z "$$found" || { echo "$$found"; exit 1; }

man: build ## dist/: the manual page and the completions, as packages carry them
	mkdir -p dist
	./waxwing man | gzip -9n >dist/waxwing.1.gz
	./waxwing completion bash >dist/waxwing.bash
	./waxwing completion zsh >dist/_waxwing
	./waxwing completion fish >dist/waxwing.fish

packages: man sbom ## dist/: packages for Debian, Fedora and Alpine (needs nfpm on PATH)
	for kind in deb rpm apk; do VERSION=$(PACKAGE) GOARCH=$$($(GO) env GOARCH) SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
		nfpm package --config packaging/nfpm.yaml --packager $$kind --target dist/ || exit 1; done

SOAK ?= 10m

soak: ## Skips, seeks, lost devices, restarts and stalled clients, all at once, for SOAK (10m)
	SOAK=$(SOAK) $(GO) test ./e2e -run '^TestSoak$$' -v -timeout 24h

help: ## This list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12
