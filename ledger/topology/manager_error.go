package topology

import (
	"fmt"
	"strings"
)

// ManagerError is a refusal by the topology manager. Upstream sends it as a bare status, so clients learn its message
// and nothing else: the body has the message as its code, "STATUS: message" as its cause, and -1 as its category.
type ManagerError struct {
	// ID is upstream's name of the error, for logs.
	ID string `json:"id"`
	// Status and GRPC are the name and number of the gRPC code.
	Status  string `json:"status"`
	GRPC    int32  `json:"grpc"`
	Message string `json:"message"`
	// Detail says what differs from what would be right, and how the node reads the transaction.
	Detail string `json:"detail,omitempty"`
}

// Error is the cause that clients get.
func (r *ManagerError) Error() string { return r.Status + ": " + r.Message }

// HTTP is the HTTP status.
func (r *ManagerError) HTTP() int { return 400 }

func invalidArgument(id, detail, format string, args ...any) *ManagerError {
	const grpcInvalidArgument = 3
	return &ManagerError{
		ID: id, Status: "INVALID_ARGUMENT", GRPC: grpcInvalidArgument, Message: fmt.Sprintf(format, args...), Detail: detail,
	}
}

func badSignature(signed Signed, signature Attached, err error) *ManagerError {
	over := "the hash of this transaction"
	if signature.Shared {
		over = "the hash of all transactions of the request together"
	}
	detail := fmt.Sprintf("%s, which is %s. %s", err, over, asRead(signed))
	return invalidArgument("TOPOLOGY_INVALID_TX_SIGNATURE", detail, "Transaction signature verification failed")
}

func unauthorized(signed Signed, missing Missing) *ManagerError {
	namespaces := append(append([]string{}, missing.Namespaces...), missing.hostNamespaces()...)
	detail := fmt.Sprintf("Have each of them sign the transaction's hash %s. %s", signed.Transaction.Hash, asRead(signed))
	return invalidArgument("TOPOLOGY_UNAUTHORIZED_TRANSACTION", detail,
		"Topology transaction is missing authorizations by namespaces=%s and keys=%s",
		set(namespaces), set(missing.Keys))
}

// unsigned refuses what the owner of the party has not asked for: it neither waits nor gets this node's agreement.
func unsigned(signed Signed, missing Missing) *ManagerError {
	refusal := unauthorized(signed, missing)
	refusal.Detail = "Nothing waits until the party's namespace has signed: send the request with the owner's " +
		"signatures first, the agreement of further hosts after it. " + refusal.Detail
	return refusal
}

func unknownSigners(signed Signed, keys []string) *ManagerError {
	detail := "The keys are neither listed in the transaction nor those of its namespace: leave out their signatures. " +
		"The key of another host becomes known with the signed root NamespaceDelegation of its namespace. " + asRead(signed)
	return invalidArgument("TOPOLOGY_UNAUTHORIZED_TRANSACTION", detail,
		"Topology transaction authorization cannot be verified due to missing namespace delegations for keys %s", set(keys))
}

// asRead is how the node reads a transaction, in one line: whoever signed can see what differs.
func asRead(signed Signed) string {
	lines := describe(signed.Transaction.Mapping)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return fmt.Sprintf("This node reads the %s as: %s.", signed.Transaction.Mapping.Kind(), strings.Join(lines, "; "))
}

func noUsableKey(detail string) *ManagerError {
	return invalidArgument("TOPOLOGY_UNAUTHORIZED_TRANSACTION", detail,
		"Topology transaction is not properly authorized by any namespace key")
}

func badMapping(format string, args ...any) *ManagerError {
	return invalidArgument("TOPOLOGY_INVALID_MAPPING", "", format, args...)
}

func set(values []string) string { return "{" + strings.Join(values, ", ") + "}" }
