// Package web is the node's page: a wallet and an explorer of the ledger for people with a browser. It is a client of
// the node's public API and has no way in that others lack: each call goes through the node's own HTTP handler with the
// user's token, so that rights, limits and counts hold. It keeps nothing: a session is an encrypted cookie, which every
// process of the ledger reads.
//
// A view is one file: the calls that it makes (at most three), the struct of what it shows, and its template in
// templates. All text of the ledger is hostile; only html/template writes it.
package web
