package topology

import (
	"fmt"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// OnboardingTransaction is one transaction of a request to onboard a party, with the signatures over it alone
// (contract, POST /v2/parties/external/allocate).
type OnboardingTransaction struct {
	Transaction []byte              `json:"transaction"`
	Signatures  []signing.Signature `json:"signatures,omitempty"`
}

// Request is a decoded request to onboard a party.
type Request struct {
	transactions []Transaction
	own          [][]signing.Signature
	multi        []signing.Signature
}

// ParseRequest reads the transactions of a request and checks the form of its signatures, in the documented order. All
// refusals are INVALID_FIELD.
func ParseRequest(transactions []OnboardingTransaction, multiHash []signing.Signature) (Request, *fault.Fault) {
	const field = "onboarding_transactions.transaction"
	var out Request
	if refusal := checkCounts(transactions, multiHash); refusal != nil {
		return Request{}, refusal
	}
	for _, given := range transactions {
		parsed, err := Parse(given.Transaction)
		if err != nil {
			return Request{}, fault.InvalidFieldNamed(field, "Invalid transaction: "+err.Error())
		}
		if parsed.Remove {
			return Request{}, fault.InvalidFieldNamed(field,
				"Invalid transaction: Onboarding topology transactions must be Replace operations")
		}
		if parsed.Serial != 1 {
			return Request{}, fault.InvalidFieldNamed(field+".serial", "Onboarding transaction serial must be 1")
		}
		if refusal := checkForm("onboarding_transaction.signatures", given.Signatures); refusal != nil {
			return Request{}, refusal
		}
		out.transactions = append(out.transactions, parsed)
		out.own = append(out.own, given.Signatures)
	}
	if len(transactions) == 0 {
		return Request{}, fault.InvalidFieldNamed("onboarding_transactions.transactions", "Transactions field is empty")
	}
	out.multi = multiHash
	return out, checkForm("multi_hash_signatures.signatures", multiHash)
}

// The bounds of a request. A party needs at most the roots of ten owners and of its hosts, one transaction of each
// other kind, and a signature by each of their keys and the party's.
const (
	maxTransactions = 64
	maxSignatures   = 128
)

// checkCounts refuses requests with more than any party needs before it decodes anything, because decoding and matching
// costs more than sending.
func checkCounts(transactions []OnboardingTransaction, multiHash []signing.Signature) *fault.Fault {
	if len(transactions) > maxTransactions {
		return tooMany("onboarding_transactions", len(transactions), maxTransactions)
	}
	for _, given := range transactions {
		if len(given.Signatures) > maxSignatures {
			return tooMany("onboarding_transaction.signatures", len(given.Signatures), maxSignatures)
		}
	}
	if len(multiHash) > maxSignatures {
		return tooMany("multi_hash_signatures.signatures", len(multiHash), maxSignatures)
	}
	return nil
}

func tooMany(field string, count, limit int) *fault.Fault {
	return fault.InvalidFieldNamed(field, fmt.Sprintf("it has %d elements; a request may have at most %d",
		count, limit))
}

func checkForm(field string, signatures []signing.Signature) *fault.Fault {
	for _, signature := range signatures {
		if err := signature.Check(); err != nil {
			return fault.InvalidFieldNamed(field, err.Error())
		}
	}
	return nil
}

// AttachedSignature is a signature and the hash that it signs.
type AttachedSignature struct {
	signing.Signature

	Over Hash `json:"over"`
	// Shared is set for signatures over several transactions: they may come from a key that this one does not need.
	Shared bool `json:"shared,omitempty"`
}

// SignedTransaction is a transaction with its signatures.
type SignedTransaction struct {
	Transaction Transaction         `json:"transaction"`
	Signatures  []AttachedSignature `json:"signatures"`
}

// attach gives each transaction its own signatures and those over all transactions. Of two by the same key, its own
// wins.
func (r Request) attach() []SignedTransaction {
	hashes := make([]Hash, len(r.transactions))
	for i, transaction := range r.transactions {
		hashes[i] = transaction.Hash
	}
	all := MultiHash(hashes...)
	out := make([]SignedTransaction, len(r.transactions))
	for i, transaction := range r.transactions {
		out[i].Transaction = transaction
		for _, signature := range r.own[i] {
			out[i].add(AttachedSignature{Signature: signature, Over: transaction.Hash})
		}
		for _, signature := range r.multi {
			out[i].add(AttachedSignature{Signature: signature, Over: all, Shared: true})
		}
		if delegation, ok := transaction.Mapping.(NamespaceDelegation); ok {
			out[i].keep(delegation.Namespace)
		}
	}
	return out
}

// add adds a signature unless there is one by the same key.
func (s *SignedTransaction) add(signature AttachedSignature) {
	if !s.signedBy(signature.SignedBy) {
		s.Signatures = append(s.Signatures, signature)
	}
}

// keep drops signatures by other keys.
func (s *SignedTransaction) keep(fingerprint string) {
	var kept []AttachedSignature
	for _, signature := range s.Signatures {
		if signature.SignedBy == fingerprint {
			kept = append(kept, signature)
		}
	}
	s.Signatures = kept
}

func (s *SignedTransaction) signedBy(fingerprint string) bool {
	for _, signature := range s.Signatures {
		if signature.SignedBy == fingerprint {
			return true
		}
	}
	return false
}
