package walletapp

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ValidatorTopUpState has the time of a validator's last automatic purchase for a member, so that it never buys too
// often.
type ValidatorTopUpState struct {
	_               struct{}     `lf:"splice-wallet:Splice.Wallet.TopUpState:ValidatorTopUpState"`
	DSO             Party        `lf:"dso"`
	Validator       Party        `lf:"validator"`
	MemberID        string       `lf:"memberId"`
	SynchronizerID  string       `lf:"synchronizerId"`
	MigrationID     int64        `lf:"migrationId"`
	LastPurchasedAt lf.Timestamp `lf:"lastPurchasedAt"`
}

// NewTopUpState is the state before the first purchase: the last one was at the beginning of time.
func NewTopUpState(dso, validator Party, memberID, synchronizerID string) ValidatorTopUpState {
	return ValidatorTopUpState{
		DSO: dso, Validator: validator, MemberID: memberID, SynchronizerID: synchronizerID,
		LastPurchasedAt: lf.MinTimestamp(),
	}
}

func validatorTopUpStateTemplate() ledger.TemplateSource {
	return ledger.Template[ValidatorTopUpState]{
		Network: ledger.Membership[ValidatorTopUpState]{
			DSO: func(s ValidatorTopUpState) Party { return s.DSO }, Unsigned: true,
			Operator: func(s ValidatorTopUpState) Party { return s.Validator },
		},
		Signatories: func(s ValidatorTopUpState) []Party { return []Party{s.Validator} },
	}
}

// member is the member that gets the traffic.
func (s ValidatorTopUpState) member() string {
	return fmt.Sprintf("dso '%s', member %s, synchronizer %s, migration %d",
		s.DSO, s.MemberID, s.SynchronizerID, s.MigrationID)
}

// recordTopUp sets the last purchase of a member's state to now. It fails if the last purchase was too recent.
func recordTopUp(
	tx *ledger.Tx, id lf.CID[ValidatorTopUpState], expected ValidatorTopUpState, minInterval lf.RelTime,
) error {
	state, err := ledger.Fetch(tx, id)
	if err != nil {
		return err
	}
	if err := requireGroup(id.ID(), expected.member(), state.member()); err != nil {
		return err
	}
	if err := ledger.ArchiveContract(tx, id); err != nil {
		return err
	}
	same := state.Validator == expected.Validator
	if err := ledger.Require("validator party and ValidatorTopUpState match", same); err != nil {
		return err
	}
	elapsed := !tx.IsBefore(state.LastPurchasedAt.Add(minInterval))
	if err := ledger.Require("enough time has elapsed since the last topup", elapsed); err != nil {
		return err
	}
	state.LastPurchasedAt = tx.Now()
	_, err = ledger.Create(tx, state)
	return err
}
