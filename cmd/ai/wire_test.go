package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holic512/plugin-ai/internal/fakewire"
)

// wires are the running servers of "wire": *testscript.TestScript to
// *fakewire.Server.
var wires sync.Map

func startWire(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wire FILE")
	}
	answers, err := fakewire.Parse(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	srv := fakewire.Start(answers...)
	ts.Defer(srv.Close)
	ts.Setenv("WIRE", srv.URL)
	wires.Store(ts, srv)
}

func matchWired(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: wired N PATTERN")
	}
	srv, ok := wires.Load(ts)
	if !ok {
		ts.Fatalf("no server is running")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	requests := srv.(*fakewire.Server).Requests()
	if n < 1 || n > len(requests) {
		ts.Fatalf("there were %d requests", len(requests))
	}
	r := requests[n-1]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s?%s\n", r.Method, r.Path, r.Query)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(r.Header[name], ", "))
	}
	fmt.Fprintf(&b, "\n%s", r.Body)
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	if re.MatchString(b.String()) == neg {
		ts.Fatalf("request %d: match of %s is %v:\n%s", n, args[1], !neg, b.String())
	}
}
