package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// coinLock is the coin to lock for a transfer instruction or an allocation.
type coinLock struct {
	owner     Party
	inputs    []TransferInput
	amount    decimal.Decimal
	expiresAt lf.Timestamp
	// purpose is the text that all who see the coin can read.
	purpose string
}

// lockCoin locks coin of the owner with the DSO as the only holder. The owner is its provider, which is never featured
// here.
func lockCoin(
	tx *ledger.Tx, dso Party, context ExternalPartyTransferContext, lock coinLock,
) (locked lf.CID[LockedAmulet], result TransferResult, err error) {
	result, err = executeExternalTransfer(tx, dso, context, Transfer{
		Sender: lock.owner, Provider: lock.owner, Inputs: lock.inputs,
		Outputs: []TransferOutput{{Receiver: lock.owner, Amount: lock.amount, Lock: &TimeLock{
			Holders: []Party{dso}, ExpiresAt: lock.expiresAt, OptContext: &lock.purpose,
		}}},
	})
	if err != nil {
		return locked, result, err
	}
	return *result.CreatedAmulets[0].LockedAmulet, result, nil
}

// releaseCoin gives locked coin back to its owner. Without expireLock, the owner already removed an expired lock, or
// the coin is archived: then the lock must have expired, and there is nothing to give back.
func releaseCoin(
	tx *ledger.Tx, locked lf.CID[LockedAmulet], expireLock bool, label string, expiresAt lf.Timestamp,
) ([]lf.CID[token.Holding], error) {
	if !expireLock {
		return nil, ledger.RequireDeadlineExceeded(tx, label, expiresAt)
	}
	unlocked, err := ledger.Exercise[LockedAmuletUnlockV2Result](tx, locked, LockedAmuletUnlockV2{})
	return []lf.CID[token.Holding]{lf.Coerce[token.Holding](unlocked.AmuletCid)}, err
}

// spendLocked unlocks coin and moves the amount to the receiver.
func spendLocked(
	tx *ledger.Tx, dso Party, locked lf.CID[LockedAmulet], context ExternalPartyTransferContext, t Transfer,
) (TransferResult, error) {
	unlocked, err := ledger.Exercise[LockedAmuletUnlockV2Result](tx, locked, LockedAmuletUnlockV2{})
	if err != nil {
		return TransferResult{}, err
	}
	t.Inputs = []TransferInput{InputAmulet(unlocked.AmuletCid)}
	return executeExternalTransfer(tx, dso, context, t)
}
