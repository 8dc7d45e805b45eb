// Package decide lets a person take decisions on a web page: open questions
// come in as JSON, a page on this machine shows them with their options, and
// the decisions are kept as JSON for whoever asked (the decide document).
//
// [Face] is the command line of it, `ai decide submit` and `ai decide result`,
// with the document's texts. Below it, [ParseInput] reads and checks questions,
// [Store] keeps them and the decisions in the project, and [Server] shows the
// page until somebody decided.
//
// The package knows no model, no runner and no terminal.
package decide
