package automation

import (
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// KindAutoAccept is the automation that accepts offers.
const KindAutoAccept = "auto-accept-transfers"

// acceptBatch limits the offers that one submission accepts.
const acceptBatch = 20

// NewAutoAccept accepts offers from the senders in the receiver's wallet setting (upstream: auto-accept of transfer
// offers).
func NewAutoAccept(packages *ledger.Packages) (Automation, error) {
	opened, err := ofWallet(packages)
	if err != nil {
		return Automation{}, err
	}
	offers, err := Following(packages, func(offer plan.Contract[walletapp.TransferOffer], _ time.Time) []Due {
		receiver := offer.Payload.Receiver
		return []Due{{Subject: string(receiver), Wallet: receiver, IfSet: true}}
	})
	return Automation{
		Kind: KindAutoAccept, Summary: "Accepts transfer offers of senders that the receiver's wallet trusts.",
		Follow: []Follow{opened, offers}, Plan: planAutoAccept,
	}, err
}

func planAutoAccept(s Situation) (plan.Step, error) {
	receiver := ledger.Party(s.Subject)
	senders, err := s.Settings.AcceptsFrom(receiver)
	if err != nil || len(senders) == 0 {
		return plan.Step{}, err // a change of the setting makes it due again
	}
	wallet, ok, err := plan.WalletOf(s.View, receiver)
	if err != nil || !ok {
		return plan.Step{}, err // a new wallet does too
	}
	due, err := s.acceptable(receiver, senders)
	if err != nil || len(due) == 0 {
		return plan.Step{}, err // a new offer makes it due again
	}
	if low, err := s.lowTraffic(); err != nil || low != "" {
		return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: low}, err
	}
	step := plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: "acceptance of offers"}
	step.Action, err = s.acceptAll(wallet, due)
	return step, err
}

// acceptable lists the oldest offers to accept, as many as one submission accepts. It reads only offers of trusted
// senders, so that offers of others cannot fill the list.
func (s Situation) acceptable(receiver ledger.Party, senders []ledger.Party) (due []Intent, err error) {
	accepts := AutoAccept{receiver: senders}
	for _, sender := range senders {
		err = plan.EachOffer(s.View, sender, receiver, func(offer plan.Contract[walletapp.TransferOffer]) bool {
			due = append(due, accepts.Accept([]plan.Contract[walletapp.TransferOffer]{offer},
				s.Now)...)
			return len(due) < acceptBatch
		})
		if err != nil || len(due) >= acceptBatch {
			return due, err
		}
	}
	return due, nil
}

// acceptAll accepts several offers at once. After a refusal it accepts only the first, so that one bad offer does not
// block the others.
func (s Situation) acceptAll(wallet plan.Wallet, due []Intent) (*plan.Action, error) {
	limit := acceptBatch
	if s.Refused != nil {
		limit = 1
	}
	due = due[:min(len(due), limit)]
	whole, err := s.throughWallet(wallet, due[0])
	if err != nil || len(due) == 1 {
		return whole, err
	}
	ids := make([]string, len(due))
	whole.Commands = nil
	for i, intent := range due {
		ids[i] = intent.CommandID
		one, err := s.throughWallet(wallet, intent)
		if err != nil {
			return nil, err
		}
		whole.Commands = append(whole.Commands, one.Commands...)
	}
	whole.CommandID = commandID("accept-offers", ids)
	return whole, nil
}
