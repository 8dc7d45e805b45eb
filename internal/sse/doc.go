// Package sse reads server-sent events whose data is JSON, as models' servers
// send them. The names and ids of events are not given: what an event is stands
// in its data.
//
// A reader that gives an event only at the blank line behind it loses the last
// one of a server that leaves that line out, and joins the events of one that
// never sends it. Here an event is also over where its data is one JSON value
// and nothing behind it has arrived yet or more data follows.
package sse
