package topology

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

func badSignature(signed SignedTransaction, signature AttachedSignature, err error) *fault.Fault {
	over := "the hash of this transaction"
	if signature.Shared {
		over = "the hash of all transactions of the request together"
	}
	detail := fmt.Sprintf("%s (%s). %s", err, over, asRead(signed))
	return fault.TopologyInvalidTxSignature.New("Transaction signature verification failed").WithHint(detail)
}

func unauthorized(signed SignedTransaction, missing Missing) *fault.Fault {
	namespaces := append(append([]string{}, missing.Namespaces...), missing.hostNamespaces()...)
	detail := fmt.Sprintf("Each of them must sign the transaction's hash %s. %s", signed.Transaction.Hash, asRead(signed))
	return fault.TopologyUnauthorizedTransaction.New(
		"Topology transaction is missing authorizations by namespaces=%s and keys=%s",
		set(namespaces), set(missing.Keys)).WithHint(detail)
}

// unsigned refuses a request that the party's namespace has not signed: it neither waits nor gets this node's
// agreement. An owner of a decentralized namespace that has signed learns which others may sign.
func (o Onboarding) unsigned(missing Missing) *fault.Fault {
	refusal := unauthorized(o.Hosting, missing)
	hint := "Send the request with the signatures of the party's namespace first, and the agreement of further hosts " +
		"after it: the node keeps nothing before the namespace has signed. "
	if o.Decentralized != nil {
		owners := len(o.holders())
		if silent, further := o.silentOwners(o.Hosting); len(silent) < owners {
			hint = fmt.Sprintf("The namespace has %d owners, and %d have signed. %d more of these must sign: %s. ",
				owners, owners-len(silent), further, set(silent))
		}
	}
	return refusal.WithHint(hint + refusal.Hint)
}

func unknownSigners(signed SignedTransaction, keys []string) *fault.Fault {
	detail := "The transaction does not list these keys, and they are not keys of its namespace. If a key belongs to " +
		"another host or owner, also send the signed root NamespaceDelegation of that owner's namespace. Otherwise " +
		"remove its signature. " + asRead(signed)
	return fault.TopologyUnauthorizedTransaction.New("Topology transaction authorization cannot be verified due to "+
		"missing namespace delegations for keys %s", set(keys)).WithHint(detail)
}

// asRead is the content of a transaction in one line, so that a signer can compare it with what it signed.
func asRead(signed SignedTransaction) string {
	lines := describe(signed.Transaction.Mapping)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return fmt.Sprintf("This node reads the %s as: %s.", signed.Transaction.Mapping.Kind(), strings.Join(lines, "; "))
}

func noUsableKey(detail string) *fault.Fault {
	return fault.TopologyUnauthorizedTransaction.New(
		"Topology transaction is not properly authorized by any namespace key").WithHint(detail)
}

func badMapping(format string, args ...any) *fault.Fault {
	return fault.TopologyInvalidMapping.New(format, args...)
}

func set(values []string) string { return "{" + strings.Join(values, ", ") + "}" }
