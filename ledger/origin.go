package ledger

// Origin says where the request of a change came from, for the audit log.
type Origin struct {
	// Addresses are what proxies say of the client (X-Forwarded-For), which a client can invent, and last the address that
	// called the node.
	Addresses string `json:"addresses,omitempty"`
	// Operation is the endpoint, such as POST /v2/users.
	Operation string `json:"operation,omitempty"`
	TraceID   string `json:"traceId,omitempty"`
}
