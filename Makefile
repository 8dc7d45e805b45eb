# The commands of the daily work. CI runs .ci/run, which calls the same ones.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS = -s -w -X main.version=$(VERSION)
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

.PHONY: build test check lint dist

build: ## the binary for this machine
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o ai ./cmd/ai

test: ## all tests
	go test -race ./...

lint: ## formatting, vet on every platform, linter
	test -z "$$(gofmt -l .)"
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	golangci-lint run

check: lint test ## what CI checks
	go mod tidy -diff

dist: ## release binaries for every platform, with checksums
	rm -rf dist
	mkdir -p dist
	for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o dist/ai-$(VERSION)-$$os-$$arch$$ext ./cmd/ai || exit 1; \
	done
	cd dist && sha256sum * > SHA256SUMS
