package adversary

import (
	"net/http"
	"time"

	"github.com/florinledger/florin/client"
)

// Target is a running node: `florin up --clock static`.
type Target struct {
	URL, TemporalUI, Secret, Audience, DSO, Operator string
}

// admin is the participant administrator of a fresh node.
const admin = "ledger-api-user"

func (t Target) token(user string) string { return client.Token(t.Secret, t.Audience, user) }

// newHTTP makes a client with separate connections.
func newHTTP() *http.Client {
	const connections = 64
	return &http.Client{Timeout: requestTimeout, Transport: &http.Transport{
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute,
	}}
}
