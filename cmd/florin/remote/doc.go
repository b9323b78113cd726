// Package remote has the commands that call a running node over HTTP, as any client would: parties, users, coin. A
// command finds its node by the data directory of `florin up`, or by --url.
package remote
