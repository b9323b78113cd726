# `make` prints what it can do. It needs git, make and Go; nothing here needs a C compiler except `make test/race`.

GO ?= go
BIN := bin/florin
DATA_DIR ?= .florin
# More arguments: `make run ARGS="--listen :7575"`, `make bench ARGS="--scenario tap"`.
ARGS ?=
# Further flags of go test: `make test TESTFLAGS="-run TestTransfer -v"`.
TESTFLAGS ?=
# How often `make torture` strikes; one strike may kill several processes. SEED repeats a run's random choices.
KILLS ?= 1000
SEED ?= 0
# Further flags of make torture's tests: TORTUREFLAGS="-lasting 1h" begins no more strikes after an hour.
TORTUREFLAGS ?=
# How many steps the adversary of make attack makes, at most for how long, and from which step on. PLAYS and WITHOUT name
# the kinds of steps that it makes, or does not.
STEPS ?= 100000
LASTING ?= 1h
FROM ?= 0
PLAYS ?=
WITHOUT ?=
# How long make test/year lives, and with how many preapprovals.
DAYS ?= 400
PREAPPROVALS ?= 1000
# How many operations the bank test of make torture makes.
OPERATIONS ?= 10000
# How long make test/fuzz spends on each decoder: `make test/fuzz FUZZTIME=1m`.
FUZZTIME ?= 3s
# Further flags of fuzzing: FUZZFLAGS="-fuzzminimizetime 50x" tries many more inputs and keeps larger ones.
FUZZFLAGS ?=
# Fuzzing guided by coverage instruments every package, which takes minutes from nothing: GUIDED= does without.
GUIDED ?= 1
# Which mutations make test/mutations makes: those whose protection, place or test matches; all by default.
ONLY ?=
# Where make test/dars finds published DARs, which are no part of the project.
DARS ?= ../shared/dars
# The one kind of machine that make release builds for, such as linux/amd64; all by default.
RELEASE_ONLY ?=
# Where make test/browser writes pictures of the page.
IMAGES ?= docs/images
# Which packages make test runs.
PACKAGES ?= ./...

export CGO_ENABLED ?= 0

# A checkout may belong to another user than the one who builds (root in a container, say): ask git all the same, and
# build without asking it.
git := git -c safe.directory='*'
version := $(shell $(git) describe --tags --always --dirty 2>/dev/null || echo unknown)
commit := $(shell $(git) rev-parse HEAD 2>/dev/null || echo unknown)
date := $(shell TZ=UTC0 $(git) log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null || echo 1970-01-01T00:00:00Z)
named := -X main.version=$(version) -X main.commit=$(commit) -X main.date=$(date)
# Without the tables of debuggers the program has half the size; SYMBOLS=1 keeps them. Stack traces and profiles need none.
SYMBOLS ?=
build_flags := -buildvcs=false -ldflags "$(if $(SYMBOLS),,-s -w )$(named)"
# Development tools are pinned in a module of their own, so that the node's stays small.
tool := $(GO) tool -modfile=tools/go.mod

.DEFAULT_GOAL := help

##@ Use

.PHONY: help
help: ## Print this help
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-zA-Z\/_-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: build ## Build florin and start everything: PostgreSQL, Temporal with its UI, the node. Ctrl-C stops it all
	@exec $(BIN) up --yes --data-dir $(DATA_DIR) $(ARGS)

.PHONY: bench
bench: ## Measure a running node against the ceilings under it (start one with `make run` first)
	@$(GO) run -ldflags '-X main.version=$(version)' ./test/bench $(ARGS)

.PHONY: bench/peers
bench/peers: ## Measure a running node beside Formance Ledger, built from the checkout PEER=DIR
	@test -n '$(PEER)' || { echo "make bench/peers: name a checkout of Formance Ledger: PEER=DIR" >&2; exit 1; }
	@$(GO) run -ldflags '-X main.version=$(version)' ./test/bench --peer '$(PEER)' $(ARGS)

.PHONY: db/reset
db/reset: ## Forget everything that `make run` has stored
	@test -e $(DATA_DIR)/lock || { echo "make db/reset: nothing is stored in $(DATA_DIR)"; exit 0; }; \
		flock --nonblock $(DATA_DIR)/lock true || { \
			echo "make db/reset: florin is running on $(DATA_DIR): stop it first" >&2; exit 1; }; \
		rm -rf $(DATA_DIR) && echo "make db/reset: removed $(DATA_DIR)"

##@ Build

.PHONY: build
build: ## Build bin/florin; from nothing that takes some minutes, and shows how far it is
	@total=$$($(GO) list -deps ./cmd/florin | wc -l); \
		{ $(GO) build -v $(build_flags) -o $(BIN) ./cmd/florin 2>&1; echo "status $$?"; } | \
		awk -v total="$$total" '\
			$$1 == "status" { exit $$2 } \
			NF != 1 || $$1 !~ /^[a-z0-9.\/_~A-Z-]+$$/ { print; fflush(); next } \
			++built % 50 == 0 { printf "make build: %d of %d packages\n", built, total; fflush() }'

# Archives for four kinds of machines, packages, an image, checksums, lists of parts. The same commit gives the same bytes.
.PHONY: release
release: ## Write all that people download into dist/: RELEASE_ONLY=linux/amd64 for one kind of machine
	$(GO) -C tools/release run . -version '$(version)' -commit '$(commit)' -date '$(date)' -only '$(RELEASE_ONLY)'

.PHONY: generate
generate: ## Write anew what is generated: db/dbgen from db/schema and db/queries, *.pb.go from proto, docs/errors.md, docs/metrics.md, docs/guides/alarms.md with the rules for Prometheus, docs/licences.md, docs/contract.md
	$(tool) sqlc generate
	$(GO) -C tools run ./protogen
	$(GO) run ./docs/errorsdoc
	$(GO) run ./docs/metricsdoc
	$(GO) run ./docs/alarmsdoc
	$(GO) run ./docs/sentencesdoc
	$(GO) run ./docs/licencesdoc
	$(GO) run ./docs/contractdoc

.PHONY: fmt
fmt: ## Format the code and sort imports
	$(tool) golangci-lint fmt

.PHONY: clean
clean: ## Remove what was built; the data of `make run` stays
	rm -rf bin

##@ Check

# Tests run in an environment that starts the PostgreSQL and the Temporal that they need. What each test took is kept in
# the named file, and the slowest ten are printed.
tests = $(BIN) testenv -- $(tool) gotestsum --format pkgname --format-hide-empty-pkg --jsonfile bin/$(1).json -- $(2); \
	result=$$?; echo "The slowest tests:"; \
	$(tool) gotestsum tool slowest --threshold 1s --num 10 --jsonfile bin/$(1).json; exit $$result

.PHONY: test
test: build ## Run the tests that a change needs, in minutes: PACKAGES=./db TESTFLAGS="-run TestX" for some
	@$(call tests,test,-timeout 20m $(TESTFLAGS) $(PACKAGES))

.PHONY: test/all
test/all: test test/long test/release test/fuzz test/upgrade test/dars ## Run all tests but the campaigns (race, mutations, torture, cluster, attack, year)

# The tests of ./test/e2e that make test has run already.
core = $(shell grep -hL '^//go:build' test/e2e/*_test.go test/e2e/*/*_test.go | xargs grep -ho '^func Test[A-Za-z0-9_]*' | cut -c6- | paste -sd '|')

.PHONY: test/long
test/long: build node haproxy nginx chromium ## Run the long tests: browser, wallet SDKs, load balancers, kills, months of life
	@$(call tests,long,-tags long -timeout 60m -p 1 -parallel 3 -skip '^($(core))$$' $(TESTFLAGS) ./test/e2e/...)

.PHONY: test/release
test/release: build ## Pack the program as a release would, install it into an empty directory and start a node from there
	FLORIN_TEST_BINARY=$(abspath $(BIN)) $(GO) -C tools/release test -timeout 10m ./...

# The long tests run the public wallet SDK, which needs Node.js, several nodes behind a load balancer, and a browser.
.PHONY: node haproxy nginx chromium
node:
	@command -v node >/dev/null && command -v npm >/dev/null || $(call install,nodejs npm)

haproxy:
	@command -v haproxy >/dev/null || test -x /usr/sbin/haproxy || $(call install,haproxy)

nginx:
	@command -v nginx >/dev/null || test -x /usr/sbin/nginx || $(call install,nginx-light)

chromium:
	@command -v chromium >/dev/null || $(call install,chromium fonts-dejavu-core)

install = { sudo=; test "$$(id -u)" = 0 || sudo="sudo -n"; \
	command -v apt-get >/dev/null && $$sudo apt-get update -qq && \
	$$sudo apt-get install -y --no-install-recommends $(1) || { \
	echo "make test/long: the tests need the packages $(1): install them" >&2; \
	exit 1; }; }

.PHONY: test/race
test/race: build ## Run the suite with the race detector (needs a C compiler)
	@command -v gcc >/dev/null || command -v clang >/dev/null || { \
		echo "make test/race: the race detector needs a C compiler; on Debian or Ubuntu: apt-get install gcc libc6-dev" >&2; \
		exit 1; }
	CGO_ENABLED=1 $(BIN) testenv -- $(GO) test -race -tags long -timeout 60m $(TESTFLAGS) $(PACKAGES)

.PHONY: test/browser
test/browser: build node chromium ## Use the page in a real browser, and write docs/images anew: IMAGES= writes none
	FLORIN_TEST_BINARY=$(abspath $(BIN)) FLORIN_TEST_IMAGES=$(if $(IMAGES),$(abspath $(IMAGES))) \
		$(GO) test -tags long ./test/e2e -count=1 -timeout 15m $(TESTFLAGS) -run '^TestPage_(WorksInABrowser|HandlesErrors)$$'

# Several minutes for each ten protections, so this is no part of make test, which only checks that the list is up to date.
.PHONY: test/mutations
test/mutations: build ## Take out each protection in turn and see its tests fail: ONLY=TestTrusted_RefusesHostileTokens for some
	$(BIN) testenv -- $(GO) run ./test/mutations $(if $(ONLY),-only '$(ONLY)')

.PHONY: torture
torture: build ## Kill every part of a node under load, again and again, and prove that nothing is lost: KILLS=1000
	@export FLORIN_TEST_BINARY=$(abspath $(BIN)); test="$(GO) test -tags long ./test/e2e -count=1 -v -timeout 0 $(TORTUREFLAGS) -seed $(SEED) -run"; \
		$$test TestCrash_KeepsSubmissionsAtEachStep -kills $(KILLS) && \
		$$test TestCrash_KeepsAcknowledgedSubmissions -kills $$(( ($(KILLS) + 9) / 10 )) && \
		FLORIN_TEST_OPERATIONS=$(OPERATIONS) $$test TestCoin_SurvivesRacesForTheSameHoldings

.PHONY: test/cluster
test/cluster: build haproxy ## Restart and kill nodes behind a load balancer, under load: LASTING=1h
	@$(BIN) testenv -- $(GO) test -tags long ./test/e2e -count=1 -v -timeout 0 -run TestCluster_RollsWithoutErrors -seed $(SEED) -lasting $(LASTING)

# The version before is built from its commit and kept, for it does not change.
# It is the last release; before the first one, the commit that changed the schema of release 1 last.
BEFORE ?= $(shell $(git) log --max-count=1 --format=%H -- db/schema/00001_baseline.sql 2>/dev/null)
before := $(BEFORE)
before_kept := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/florin/before/$(before)

.PHONY: test/upgrade
test/upgrade: build haproxy $(before_kept) ## Go from the version before to this one and back, under load, process by process
	@FLORIN_TEST_BINARY=$(abspath $(BIN)) FLORIN_TEST_BEFORE=$(before_kept) $(BIN) testenv -- \
		$(GO) test -tags long,upgrade ./test/e2e -count=1 -v -timeout 20m -run '^TestUpgrade_(FinishesWorkOfThePreviousVersion|RollsUnderLoad)$$' -seed $(SEED)

$(before_kept):
	@$(git) cat-file -e '$(before)^{commit}' 2>/dev/null || { \
		echo "make test/upgrade: this checkout lacks the history with the version before, commit $(before):" \
			"get it with 'git fetch --unshallow', or with 'git fetch origin $(before)'" >&2; exit 1; }
	@source=$$(mktemp -d) && trap 'rm -rf "$$source"' EXIT && mkdir -p $(dir $@) && \
		$(git) archive '$(before)' | tar -x -C "$$source" && echo "make test/upgrade: building the version before" && \
		$(GO) -C "$$source" build -buildvcs=false -o $@.new ./cmd/florin && mv $@.new $@

.PHONY: attack
attack: build ## Let an adversary try all that a user may on a node while others work: STEPS=100000 LASTING=1h SEED=7
	@export FLORIN_TEST_BINARY=$(abspath $(BIN)) FLORIN_TEST_PLAYS='$(PLAYS)' FLORIN_TEST_WITHOUT='$(WITHOUT)'; \
		$(GO) test -tags long ./test/e2e -count=1 -v -timeout 0 -run TestAdversary_ChangesNothingForOthers -seed $(SEED) -steps $(STEPS) \
			-lasting $(LASTING) -from $(FROM) -narrow

.PHONY: test/year
test/year: KILLS = 20
test/year: build ## Live through DAYS of ledger time (400) with PREAPPROVALS (1000) while KILLS (20) strike
	@export FLORIN_TEST_BINARY=$(abspath $(BIN)) FLORIN_TEST_SEED=$(SEED) FLORIN_TEST_DAYS=$(DAYS) \
		FLORIN_TEST_PREAPPROVALS=$(PREAPPROVALS) FLORIN_TEST_LIFE_KILLS=$(KILLS); \
		$(GO) test -tags long ./test/e2e -count=1 -v -timeout 0 -run TestLife_MeetsEveryDeadlineUnderKills

.PHONY: test/dars
test/dars: build ## Read, check, compile and use the DARs of the directory DARS, compare versions, and run their scripts
	DARS=$(abspath $(DARS)) $(BIN) testenv -- $(GO) test -tags dars -count=1 $(TESTFLAGS) -run '^TestPublishedDARs' \
		./daml/... ./packages/... ./cmd/florin/daml ./api/walletapi
	DARS=$(abspath $(DARS)) FLORIN_TEST_BINARY=$(abspath $(BIN)) $(GO) test -tags 'dars long' -count=1 $(TESTFLAGS) \
		-run '^TestPublishedDARs' ./test/e2e

.PHONY: test/fuzz
test/fuzz: build ## Fuzz every decoder for FUZZTIME each (3s)
	@$(BIN) testenv -- $(MAKE) --no-print-directory fuzz-all

# Some of what is fuzzed answers from a database, so this runs inside testenv. Two decoders are fuzzed at a time. Go 1.26
# may take the end of the time for a failure (golang/go#75804): no input failed then.
.PHONY: fuzz-all
fuzz-all:
	@$(git) grep -l '^func Fuzz' -- '*_test.go' | while read -r file; do \
		sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$$(dirname "$$file") \1|p" "$$file"; \
	done | xargs -P 2 -L 1 sh -c ' \
		output=$$($(GO) test "./$$0" -run "^$$" $(if $(GUIDED),-fuzz,-args -test.fuzzcachedir=$(abspath bin)/fuzz -test.fuzz) "^$$1$$" \
			$(if $(GUIDED),-fuzztime,-test.fuzztime) $(FUZZTIME) $(if $(GUIDED),$(FUZZFLAGS) -parallel,-test.parallel) 1 2>&1); result=$$?; \
		case "$$output" in \
			*"Failing input"*) ;; \
			*"    context deadline exceeded"*) result=0 ;; \
		esac; \
		echo "$$0 $$1"; echo "$$output" | tail -n 40; exit $$result'

.PHONY: lint
lint: ## Run the linter: style, layering, forbidden calls
	$(tool) golangci-lint config verify
	$(tool) golangci-lint run
	$(GO) vet -tags dars ./daml/... ./packages/... ./cmd/florin/daml ./api/walletapi
	$(GO) vet -tags 'dars long' ./test/e2e
	$(tool) golangci-lint run --build-tags failpoints ./internal/failpoint/...

.PHONY: verify
verify: verify/generated verify/modules verify/licences verify/contract verify/workflows verify/manifests verify/dashboards verify/files ## Check that generated code, go.mod, workflows, manifests and files are as they should be

.PHONY: verify/generated
verify/generated:
	@$(tool) sqlc diff || { echo "make verify: db/dbgen is not what sqlc makes of db/schema and db/queries (see above): run 'make generate' and commit it" >&2; exit 1; }
	@$(GO) -C tools run ./protogen -check || { echo "make verify: the Go code of proto is out of date: run 'make generate' and commit it" >&2; exit 1; }

.PHONY: verify/modules
verify/modules:
	@$(GO) mod tidy -diff || { echo "make verify: go.mod or go.sum is out of date: run 'go mod tidy' and commit them" >&2; exit 1; }

.PHONY: verify/licences
verify/licences:
	@$(GO) run ./docs/licencesdoc -check

.PHONY: verify/contract
verify/contract:
	@$(GO) run ./docs/contractdoc -check

.PHONY: verify/workflows
verify/workflows:
	@$(tool) workflowcheck ./workflows/... || { echo "make verify: a workflow is not deterministic; replaying it would fail" >&2; exit 1; }

.PHONY: verify/manifests
verify/manifests:
	@$(GO) -C tools test -count=1 ./manifests || { echo "make verify: a Kubernetes manifest is not as Kubernetes takes it" >&2; exit 1; }

# A module of its own: Prometheus' reader of queries brings much that the other tools do without.
.PHONY: verify/dashboards
verify/dashboards:
	@$(GO) -C tools/dashboards test -count=1 . || { echo "make verify: a dashboard or alarm asks for what no node shows (see above)" >&2; exit 1; }

.PHONY: verify/files
verify/files:
	@$(git) ls-files -z -- '*.go' ':!db/dbgen' ':!*.pb.go' | xargs -0 wc -l | \
		awk '$$2 != "total" && $$1 > ($$2 ~ /_test\.go$$|^test\// ? 600 : 400) { print $$2 ": " $$1 " lines"; bad = 1 } \
			$$2 == "total" { seen = 1 } END { exit bad || !seen }' || \
		{ echo "make verify: split these files by subject: one has at most 400 lines, a test 600" >&2; exit 1; }
	@! $(git) grep -nIE '[/]work/|TO[D]O|FIX[M]E' -- ':!*.sum' ':!.golangci.yml' || \
		{ echo "make verify: finish what is marked above, and leave out paths of one machine" >&2; exit 1; }

# Where the database of vulnerabilities is: an address, or a directory of its reports, which are kept in the repository
# github.com/golang/vulndb: VULNDB=file:///path/to/vulndb/data/osv.
VULNDB ?= https://vuln.go.dev

# Run it after every change of go.mod and once a week. .ci/run does where vuln.go.dev can be reached.
.PHONY: vuln
vuln: ## Look for known vulnerabilities in what the code calls: VULNDB=file:///… where vuln.go.dev cannot be reached
	@status=0; $(tool) govulncheck -db '$(VULNDB)' ./... || status=$$?; case $$status in \
		0) ;; \
		3) echo "make vuln: update the modules listed above, or call something else" >&2; exit 1 ;; \
		*) echo "make vuln: nothing was checked: see above; VULNDB=file:///… names a copy of $(VULNDB)" >&2; exit 1 ;; \
	esac
