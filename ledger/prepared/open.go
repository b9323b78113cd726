package prepared

import (
	"errors"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Synchronizer is a synchronizer: its logical id, the version of its protocol and its serial.
type Synchronizer struct {
	ID              string
	ProtocolVersion int
	Serial          int
}

// SynchronizerOf is the synchronizer of a node.
func SynchronizerOf(node ledger.Node) Synchronizer {
	return Synchronizer{node.SynchronizerID, ledger.ProtocolVersion, ledger.SynchronizerSerial}
}

// IDToSign is the id in prepared transactions.
func (s Synchronizer) IDToSign() string { return SynchronizerID(s.ID, s.ProtocolVersion, s.Serial) }

// OpenedTransaction is a decoded signed transaction for this synchronizer, without contradictions. The caller must
// still check the signatures, and that running it gives the same transaction.
type OpenedTransaction struct {
	Execution

	Transaction *Transaction
	// Hash is the hash to sign.
	Hash       [32]byte
	Signatures []PartySignatures
	// Multihash: the signatures may also be over the hash as a multihash.
	Multihash bool

	packages *ledger.Packages
}

// Open checks a decoded transaction in the order of the API's checks: the inputs to run it, its synchronizer, and the
// hashing scheme.
func Open(
	t *Transaction, scheme Scheme, signatures []PartySignatures, on Synchronizer, packages *ledger.Packages,
) (*OpenedTransaction, *fault.Fault) {
	execution, refusal := t.Execution(packages)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := t.CheckSynchronizer(on.ID, on.ProtocolVersion, on.Serial); refusal != nil {
		return nil, refusal
	}
	if err := scheme.CheckProtocol(on.ProtocolVersion); err != nil {
		return nil, failed("%s", err)
	}
	hash, err := t.Hash(scheme)
	if err != nil {
		return nil, failed("%s", err)
	}
	return &OpenedTransaction{
		Execution: execution, Transaction: t, Hash: hash, Signatures: signatures, packages: packages,
	}, nil
}

// OpenSigned decodes and opens the transaction of a submission.
func OpenSigned(
	s ledger.SignedTransaction, on Synchronizer, packages *ledger.Packages,
) (*OpenedTransaction, *fault.Fault) {
	t, err := Decode(s.Transaction)
	if broken, ok := errors.AsType[*DecodeError](err); ok {
		return nil, broken.Fault()
	}
	if err != nil {
		return nil, fault.Internal(err)
	}
	opened, refusal := Open(t, Scheme(s.Scheme), s.Signatures, on, packages)
	if refusal == nil {
		opened.Multihash = s.Multihash
	}
	return opened, refusal
}

// CheckSignatures refuses the transaction unless the acting parties signed it with these keys.
func (o *OpenedTransaction) CheckSignatures(keys map[ledger.Party]PartyKeys) *fault.Fault {
	refusal := CheckSignatures(o.Hash, o.Metadata.ActAs, o.Signatures, keys)
	if refusal == nil || !o.Multihash {
		return refusal
	}
	if checkSignatures(o.Hash, multihash(o.Hash), o.Metadata.ActAs, o.Signatures, keys) == nil {
		return nil
	}
	return refusal
}

// Submission adds the content of the transaction to its submission.
func (o *OpenedTransaction) Submission(s ledger.Submission) ledger.Submission {
	s.ActAs, s.CommandID = o.Metadata.ActAs, o.Metadata.CommandID
	s.Commands, s.Disclosed, s.Preference = []ledger.Command{o.Command}, o.Inputs, o.Preference
	return s
}

// External is the inputs of the decision on the transaction. The caller adds an earlier execution and the
// authorization.
func (o *OpenedTransaction) External() ledger.External {
	return ledger.External{
		Run: o.Run, Hash: o.Hash, TransactionUUID: o.Metadata.TransactionUUID,
		Earliest: o.Metadata.Earliest, Latest: o.Metadata.Latest, LatestRecordTime: o.Metadata.LatestRecordTime,
		Verify: func(again ledger.Transaction) error { return o.Transaction.Verify(o.packages, again) },
	}
}
