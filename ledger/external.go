package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// KindExternal is a submission whose transaction was prepared and then signed outside the node.
const KindExternal = "external"

// The tolerances of the synchronizer (upstream's defaults).
const (
	// LedgerTimeTolerance is how far the ledger effective time may be from the record time.
	LedgerTimeTolerance = time.Minute
	// PreparationTimeTolerance is how far the preparation of a signed transaction may be from the record time.
	PreparationTimeTolerance = 24 * time.Hour
	// ExecutedRetention is how long the node remembers an executed transaction, to refuse a second execution: longer than
	// the preparation time tolerance on both sides.
	ExecutedRetention = 48 * time.Hour
)

// ProtocolVersion is the version of the synchronizer's protocol, and SynchronizerSerial counts its upgrades. Prepared
// transactions name both (contract, POST /v2/interactive-submission/prepare).
const (
	ProtocolVersion    = 35
	SynchronizerSerial = 0
)

// SignedTransaction is a prepared transaction and its signatures, as received.
type SignedTransaction struct {
	// Transaction is the protobuf message.
	Transaction []byte `json:"transaction"`
	// Scheme names the version of the hash that was signed.
	Scheme     string            `json:"hashingSchemeVersion"`
	Signatures []PartySignatures `json:"signatures"`
	// Multihash: the signatures may also be over the hash as a multihash, 1220 and the 32 bytes, which is how the
	// validator's API gives hashes.
	Multihash bool `json:"multihash,omitempty"`
}

// PartySignatures are the signatures that one party gives to a transaction.
type PartySignatures struct {
	Party      Party               `json:"party"`
	Signatures []signing.Signature `json:"signatures"`
}

// External are the further inputs of a decision on a signed transaction. The submission has the command of the
// transaction, its acting parties, and its input contracts as disclosed ones.
type External struct {
	Run PreparedRun
	// Hash is the signed hash.
	Hash [32]byte
	// TransactionUUID names the transaction: it is executed at most once.
	TransactionUUID string
	// Executed is the offset at which it was executed before; nil when it was not.
	Executed *Offset
	// Earliest and Latest bound the ledger effective time, LatestRecordTime bounds the record time; nil for no bound.
	Earliest, Latest, LatestRecordTime *time.Time
	// Authorize refuses the transaction unless the current keys of its acting parties have signed it. An error other than
	// a fault is a failure of the store.
	Authorize func() error
	// Verify refuses the interpreted transaction unless it equals the signed one. An error other than a fault is a failure
	// of the store.
	Verify func(Transaction) error
}

// admit refuses a signed transaction before the synchronizer orders it: one that was executed before, or that lacks
// signatures.
func (x External) admit(at Position) error {
	if x.Executed != nil {
		return fault.DuplicateConfirmationRequestUUID.New(
			"The transaction %s has been executed at offset %d already", x.TransactionUUID, *x.Executed).
			With("completion_offset", formatOffset(*x.Executed)).
			With("expireAfter", at.RecordTime.Add(ExecutedRetention).Format(time.RFC3339))
	}
	return x.Authorize()
}

// verdict refuses an ordered transaction that comes at the wrong time, or whose inputs were archived. The error is a
// failure of the store.
func (x External) verdict(s Submission, at Position, store Store) (*fault.Fault, error) {
	if refusal := x.checkTimes(s, at); refusal != nil {
		return refusal, nil
	}
	return checkInputsAreActive(s.Disclosed, store)
}

// preparedStore is the store that a signed transaction was prepared on: its inputs are active there.
type preparedStore struct {
	Store

	inputs []Contract
}

// ActiveContract implements [Store].
func (p preparedStore) ActiveContract(id ContractID) (Contract, bool, error) {
	for _, input := range p.inputs {
		if input.ID == id {
			return input, true, nil
		}
	}
	return p.Store.ActiveContract(id)
}

func (x External) checkTimes(s Submission, at Position) *fault.Fault {
	record := at.RecordTime
	if latest := x.LatestRecordTime; latest != nil && record.After(*latest) {
		return fault.LocalVerdictMaxRecordTimeExceeded.New(
			"The record time %s is after the latest record time of the transaction, %s", instant(record), instant(*latest))
	}
	if apart := record.Sub(x.Run.At).Abs(); apart > PreparationTimeTolerance {
		return fault.LocalVerdictPreparationTimeOutOfBound.New(
			"The preparation time %s of the transaction differs by %s from the record time %s; at most %s is allowed",
			instant(x.Run.At), apart.Round(time.Second), instant(record), PreparationTimeTolerance)
	}
	effective := x.effectiveTime(s, at)
	if apart := record.Sub(effective).Abs(); apart > LedgerTimeTolerance {
		return fault.LocalVerdictLedgerTimeOutOfBound.New(
			"The ledger time %s of the transaction differs by %s from the record time %s; at most %s is allowed",
			instant(effective), apart.Round(time.Second), instant(record), LedgerTimeTolerance).
			WithHint("The transaction is valid " + x.validity() + ". Execute it then, or prepare and sign it again.")
	}
	return nil
}

// effectiveTime is the time closest to that of any submission within the bounds of the transaction.
func (x External) effectiveTime(s Submission, at Position) time.Time {
	effective := signedTime(s, at)
	if x.Earliest != nil && effective.Before(*x.Earliest) {
		effective = *x.Earliest
	}
	if x.Latest != nil && effective.After(*x.Latest) {
		effective = *x.Latest
	}
	return effective
}

func (x External) validity() string {
	switch {
	case x.Earliest != nil && x.Latest != nil:
		return "from " + instant(*x.Earliest) + " to " + instant(*x.Latest)
	case x.Earliest != nil:
		return "from " + instant(*x.Earliest) + " on"
	case x.Latest != nil:
		return "until " + instant(*x.Latest)
	default:
		return "around the minimum ledger time of the request"
	}
}

func checkInputsAreActive(inputs []Contract, store Store) (*fault.Fault, error) {
	var gone []ContractID
	for _, contract := range inputs {
		_, active, err := store.ActiveContract(contract.ID)
		if err != nil {
			return nil, err
		}
		if !active {
			gone = append(gone, contract.ID)
		}
	}
	if len(gone) == 0 {
		return nil, nil // nothing is wrong
	}
	refusal := fault.LocalVerdictInactiveContracts.New(
		"Rejected transaction is referring to inactive contracts: %s", strings.Join(Strings(gone), ", ")).
		WithHint("Read the contracts again, then prepare and sign the transaction again.")
	for _, id := range slices.Sorted(slices.Values(gone)) {
		refusal = refusal.WithResource("CONTRACT_ID", string(id))
	}
	return refusal, nil
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
