package prepared

import (
	"errors"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
)

// Metadata bind a transaction to one submission. Times are exact to the microsecond.
type Metadata struct {
	// ActAs are the parties that must sign, sorted.
	ActAs     []ledger.Party
	CommandID string
	// SynchronizerID is in the form that the synchronizer's protocol version hashes, see [SynchronizerID].
	SynchronizerID string
	MediatorGroup  uint32
	// TransactionUUID is new in every preparation.
	TransactionUUID string
	// PreparationTime is the ledger effective time of the preparation.
	PreparationTime time.Time
	// Earliest and Latest bound the ledger effective time, both inclusive; nil where there is no bound. [Build] takes
	// them from the transaction.
	Earliest, Latest *time.Time
	// LatestRecordTime bounds the record time. Only scheme V3 covers it. Nil when there is no bound.
	LatestRecordTime *time.Time
}

// Metadata are the transaction's metadata.
func (t *Transaction) Metadata() Metadata {
	m := t.message.GetMetadata()
	return Metadata{
		ActAs:            ledger.FromStrings[ledger.Party](m.GetSubmitterInfo().GetActAs()),
		CommandID:        m.GetSubmitterInfo().GetCommandId(),
		SynchronizerID:   m.GetSynchronizerId(),
		MediatorGroup:    m.GetMediatorGroup(),
		TransactionUUID:  m.GetTransactionUuid(),
		PreparationTime:  timeOf(m.GetPreparationTime()),
		Earliest:         optionalTimeOf(m.MinLedgerEffectiveTime),
		Latest:           optionalTimeOf(m.MaxLedgerEffectiveTime),
		LatestRecordTime: optionalTimeOf(m.MaxRecordTime),
	}
}

func (m Metadata) message() *ledgerpb.Metadata {
	return &ledgerpb.Metadata{
		SubmitterInfo: &ledgerpb.Metadata_SubmitterInfo{
			ActAs: ledger.Strings(ledger.SortedParties(m.ActAs)), CommandId: m.CommandID,
		},
		SynchronizerId: m.SynchronizerID, MediatorGroup: m.MediatorGroup, TransactionUuid: m.TransactionUUID,
		PreparationTime:        uint64(m.PreparationTime.UnixMicro()),
		MinLedgerEffectiveTime: optionalMicros(m.Earliest), MaxLedgerEffectiveTime: optionalMicros(m.Latest),
		MaxRecordTime: optionalMicros(m.LatestRecordTime),
	}
}

// LedgerTime is the effective time for an execution now: the closest time within the bounds. The error says that no
// time is within them.
func (m Metadata) LedgerTime(now time.Time) (time.Time, error) {
	if m.Earliest != nil && m.Latest != nil && m.Latest.Before(*m.Earliest) {
		return time.Time{}, errors.New("the earliest ledger effective time is after the latest one")
	}
	at := now.UTC().Truncate(time.Microsecond)
	if m.Earliest != nil && at.Before(*m.Earliest) {
		at = *m.Earliest
	}
	if m.Latest != nil && at.After(*m.Latest) {
		at = *m.Latest
	}
	return at, nil
}

func timeOf(micros uint64) time.Time { return time.UnixMicro(int64(micros)).UTC() }

func optionalTimeOf(micros *uint64) *time.Time {
	if micros == nil {
		return nil
	}
	at := timeOf(*micros)
	return &at
}

func optionalMicros(at *time.Time) *uint64 {
	if at == nil {
		return nil
	}
	micros := uint64(at.UnixMicro())
	return &micros
}

// physicalSince is the first protocol version with physical ids in prepared transactions.
const physicalSince = 35

// SynchronizerID is the synchronizer's id in prepared transactions: the logical id up to protocol version 34, the
// physical one (logical::version-serial) from 35 on.
func SynchronizerID(logical string, protocolVersion, serial int) string {
	if protocolVersion < physicalSince {
		return logical
	}
	return ledger.PhysicalSynchronizerID(logical, protocolVersion, serial)
}

// CheckSynchronizer refuses a transaction for another synchronizer than the node's, or with the other form of its id.
func (t *Transaction) CheckSynchronizer(logical string, protocolVersion, serial int) *fault.Fault {
	signed := t.message.GetMetadata().GetSynchronizerId()
	if err := ledger.CheckSynchronizerID(signed); err != nil {
		return fault.InvalidFieldNamed("synchronizer_id", "Unable to convert field: "+err.Error())
	}
	if group := t.message.GetMetadata().GetMediatorGroup(); group != 0 {
		return failed("the transaction is for mediator group %d, but synchronizer %s has only group 0", group, logical)
	}
	want := SynchronizerID(logical, protocolVersion, serial)
	if signed == want {
		return nil
	}
	if signed != logical && !strings.HasPrefix(signed, logical+"::") {
		return failed("the transaction is for synchronizer %s, but this node is connected to %s", signed, logical)
	}
	if protocolVersion < physicalSince {
		return failed("The selected synchronizer %s is on Protocol Version %d. "+
			"Please use a Logical Synchronizer ID in the prepared transaction metadata on PVs <= 34", logical, protocolVersion).
			WithHint("The id is " + want + ".")
	}
	return failed("The selected synchronizer %s is on Protocol Version %d. "+
		"Please use a Physical Synchronizer ID in the prepared transaction metadata on PVs > 34", logical, protocolVersion).
		WithHint("The id is " + want + ".")
}
