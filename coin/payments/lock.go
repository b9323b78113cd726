package payments

import (
	"errors"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletSummary is a coin that came back to its owner, with the price and number of the round.
type AmuletSummary = coin.AmuletCreateSummary[lf.CID[coin.Amulet]]

// lockOrder is coin that a sender's wallet locks for somebody to collect.
type lockOrder struct {
	dso, sender Party
	// walletProvider runs the sender's wallet and is the provider of this half of the payment.
	walletProvider Party
	holders        []Party
	amount         decimal.Decimal
	// purpose is public: the holders of the lock read it.
	purpose string
}

// lockedPayment is the result of a [lockOrder].
type lockedPayment struct {
	amulet lf.CID[coin.LockedAmulet]
	change *lf.CID[coin.Amulet]
	round  coin.Round
}

// lock locks coin until the expected close of the round, and for at least a tick. The round exists for that long, so
// that the app can collect in it.
func (o lockOrder) lock(
	tx *ledger.Tx, context coin.PaymentTransferContext, inputs []coin.TransferInput, round coin.OpenMiningRound,
) (lockedPayment, error) {
	expiresAt := max(tx.Now().Add(round.TickDuration), round.TargetClosesAt)
	result, err := context.Transfer(tx, o.dso, coin.Transfer{
		Sender: o.sender, Provider: o.walletProvider, Inputs: inputs,
		Outputs: []coin.TransferOutput{{Receiver: o.sender, Amount: o.amount, Lock: &coin.TimeLock{
			Holders: ledger.SortedParties(o.holders), ExpiresAt: expiresAt, OptContext: &o.purpose,
		}}},
	})
	if err != nil {
		return lockedPayment{}, err
	}
	if len(result.CreatedAmulets) != 1 || result.CreatedAmulets[0].LockedAmulet == nil {
		return lockedPayment{}, errors.New("a transfer with one locked output did not create one locked coin")
	}
	return lockedPayment{
		amulet: *result.CreatedAmulets[0].LockedAmulet, change: result.SenderChangeAmulet, round: result.Round,
	}, nil
}

// collect releases a lock and pays the receivers with the coin, in the round of the lock.
func collect(
	tx *ledger.Tx, context coin.AppTransferContext, dso, sender, provider Party,
	id lf.CID[coin.LockedAmulet], amounts []ReceiverAmuletAmount,
) ([]lf.CID[coin.Amulet], error) {
	unlocked, err := ledger.Exercise[coin.LockedAmuletUnlockV2Result](tx, id, coin.LockedAmuletUnlockV2{})
	if err != nil {
		return nil, err
	}
	transfer := coin.Transfer{
		Sender: sender, Provider: provider, Inputs: []coin.TransferInput{coin.InputAmulet(unlocked.AmuletCid)},
	}
	for _, amount := range amounts {
		transfer.Outputs = append(transfer.Outputs,
			coin.TransferOutput{Receiver: amount.Receiver, Amount: amount.AmuletAmount})
	}
	result, err := context.Transfer(tx, dso, transfer)
	if err != nil {
		return nil, err
	}
	paid := make([]lf.CID[coin.Amulet], len(result.CreatedAmulets))
	for i, created := range result.CreatedAmulets {
		if created.Amulet == nil {
			return nil, errors.New("a transfer with an unlocked output created a locked coin")
		}
		paid[i] = *created.Amulet
	}
	return paid, nil
}

// release gives locked coin back to its owner: with unlock if the holders agree, otherwise only after the lock has
// expired.
func release(
	tx *ledger.Tx, dso, reader Party, openRound lf.CID[coin.OpenMiningRound], id lf.CID[coin.LockedAmulet], agreed bool,
) (AmuletSummary, error) {
	round, err := coin.ReadOpenMiningRound(tx, dso, reader, openRound)
	if err != nil {
		return AmuletSummary{}, err
	}
	summary := AmuletSummary{AmuletPrice: round.AmuletPrice, Round: round.Round}
	if agreed {
		unlocked, err := ledger.Exercise[coin.LockedAmuletUnlockV2Result](tx, id, coin.LockedAmuletUnlockV2{})
		summary.Amulet = unlocked.AmuletCid
		return summary, err
	}
	expired, err := ledger.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](tx, id,
		coin.LockedAmuletOwnerExpireLockV2{})
	summary.Amulet = expired.AmuletCid
	return summary, err
}
