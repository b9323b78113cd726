// Package web is the node's page: a wallet, an explorer of the ledger and the operator's view in a browser. It is a client of the node's
// public API with no other access: each call goes through the node's own HTTP handler with the user's token, so that
// rights, limits and counts apply. It stores nothing: a session is an encrypted cookie, which every process of the
// ledger can read.
//
// A view is one file: the calls that it makes (at most three), the struct that it shows, and its template in templates.
// All text of the ledger may be hostile; only html/template writes it.
package web
