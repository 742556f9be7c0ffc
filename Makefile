# `make test` sets up what the tests need and runs them all; `make help` lists
# the rest.
GO       ?= go
# make bench: CELLS and TARGET (loop, loopext4, zram, file, zero) are all unless
# named; SECONDS is of each run.
PAIRS    ?= 5
SECONDS  ?= 3
PLATFORMS = linux/amd64 linux/arm64 freebsd/amd64 freebsd/arm64 windows/amd64 darwin/arm64

.PHONY: help build setup lint cross test fuzz faults lab bench publish packages clean

help:
	@echo "make build   build ./iosweep"
	@echo "make test    set up, lint, cross-build and run all tests (root: with real devices)"
	@echo "make faults  hurt 1,000 runs and more, on loop devices and in QEMU; writes docs/faults.md (root, 15 min)"
	@echo "make lab     try every kind of device in virtual machines; writes docs/lab.md (QEMU, 3 min)"
	@echo "make fuzz    run every fuzz target for FUZZTIME (default 10s)"
	@echo "make publish make the published runs and reports again (DEVICE=1: measure too)"
	@echo "make packages make what is released, in dist/ (PLATFORMS, VERSION)"
	@echo "make bench   compare the load generator with fio (CELLS, PAIRS, TARGET)"

build:
	$(GO) build -o iosweep ./cmd/iosweep

# Tools that the tests compare with or make file systems by. Without root, the
# tests that need them say so.
setup:
	@.ci/setup

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) vet -tags lab ./internal/lab
	$(GO) tool staticcheck -tags lab ./internal/lab

cross:
	@for p in $(PLATFORMS); do \
		echo "vet and build with tests: $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./... || exit 1; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) test -exec true -run '^$$' ./... >/dev/null || exit 1; \
	done

# Archives, deb, rpm, FreeBSD's layout, man pages and completions, in dist/.
packages:
	@GO="$(GO)" cmd/iosweep/packaging/build

test: setup lint cross
	$(GO) test $(TESTFLAGS) -timeout 12m ./...

# Both print their table and leave it in docs/, or in the file TABLE.
faults: TABLE ?= $(CURDIR)/docs/faults.md
faults: setup
	IOSWEEP_FAULTS=$(TABLE) $(GO) test -count 1 -run '^TestFaults$$' -parallel 4 -timeout 20m ./cmd/iosweep
	IOSWEEP_LAB_FAULTS=$(TABLE) $(GO) test -tags lab -count 1 -run '^TestLab$$' -timeout 40m ./internal/lab
	@cat $(TABLE)

# Behind a build tag, so that `make test` takes no longer than it must.
lab: TABLE ?= $(CURDIR)/docs/lab.md
lab: setup
	IOSWEEP_LAB=$(TABLE) $(GO) test -tags lab -v -count 1 -run '^TestLab$$' -timeout 8m ./internal/lab
	@cat $(TABLE)

FUZZTIME ?= 10s
fuzz:
	@for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for f in $$(grep -h -o '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
			echo "fuzz $$dir $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
		done; \
	done

# rate, processor time and 99th percentile of iosweep over fio's, for each cell.
bench: setup
	@CELLS="$(CELLS)" PAIRS="$(PAIRS)" TARGET="$(TARGET)" SECONDS="$(SECONDS)" $(GO) test -run '^$$' -bench CompareWithFio -benchtime 1x -timeout 3h ./runners/uring | grep -E '^[a-z0-9_]+ +[0-9.]+ |FAIL|panic'

publish: build
	DEVICE=$(DEVICE) results/published/publish.sh

clean:
	rm -rf iosweep dist
