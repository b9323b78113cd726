package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// LockedAmulet is an amount of coin that its owner cannot spend until the lock's holders release it or it expires.
type LockedAmulet struct {
	_      struct{} `lf:"splice-amulet:Splice.Amulet:LockedAmulet"`
	Amulet Amulet   `lf:"amulet"`
	Lock   TimeLock `lf:"lock"`
}

// LockedAmuletUnlock released a lock against an open round.
type LockedAmuletUnlock struct {
	_            struct{}                `lf:"splice-amulet:Splice.Amulet:LockedAmulet_Unlock"`
	OpenRoundCid lf.CID[OpenMiningRound] `lf:"openRoundCid"`
}

// LockedAmuletUnlockV2 releases the lock at any time; owner and all holders agree.
type LockedAmuletUnlockV2 struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:LockedAmulet_UnlockV2"`
}

// LockedAmuletOwnerExpireLock took an expired lock off against an open round.
type LockedAmuletOwnerExpireLock struct {
	_            struct{}                `lf:"splice-amulet:Splice.Amulet:LockedAmulet_OwnerExpireLock"`
	OpenRoundCid lf.CID[OpenMiningRound] `lf:"openRoundCid"`
}

// LockedAmuletOwnerExpireLockV2 takes an expired lock off; the owner alone decides.
type LockedAmuletOwnerExpireLockV2 struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:LockedAmulet_OwnerExpireLockV2"`
}

// LockedAmuletExpireAmulet burned locked dust against an open round.
type LockedAmuletExpireAmulet struct {
	_        struct{}                `lf:"splice-amulet:Splice.Amulet:LockedAmulet_ExpireAmulet"`
	RoundCid lf.CID[OpenMiningRound] `lf:"roundCid"`
}

// LockedAmuletExpireAmuletV2 burns a locked coin that is dust, as [AmuletExpireV2] does an unlocked one.
type LockedAmuletExpireAmuletV2 struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:LockedAmulet_ExpireAmuletV2"`

	ExternalPartyConfigState0Cid lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigState0Cid"`
	ExternalPartyConfigState1Cid lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigState1Cid"`
}

// LockedAmuletUnlockV2Result is the result of [LockedAmuletUnlockV2].
type LockedAmuletUnlockV2Result struct {
	_         struct{}       `lf:"splice-amulet:Splice.Amulet:LockedAmulet_UnlockV2Result"`
	AmuletCid lf.CID[Amulet] `lf:"amuletCid"`
	Meta      token.Metadata `lf:"meta"`
}

// LockedAmuletOwnerExpireLockV2Result is the result of [LockedAmuletOwnerExpireLockV2].
type LockedAmuletOwnerExpireLockV2Result struct {
	_         struct{}       `lf:"splice-amulet:Splice.Amulet:LockedAmulet_OwnerExpireLockV2Result"`
	AmuletCid lf.CID[Amulet] `lf:"amuletCid"`
	Meta      token.Metadata `lf:"meta"`
}

// LockedAmuletExpireAmuletV2Result is the result of [LockedAmuletExpireAmuletV2].
type LockedAmuletExpireAmuletV2Result struct {
	_         struct{}              `lf:"splice-amulet:Splice.Amulet:LockedAmulet_ExpireAmuletV2Result"`
	ExpireSum AmuletExpireV2Summary `lf:"expireSum"`
	Meta      token.Metadata        `lf:"meta"`
}

// LockedAmuletUnlockResult was the result of [LockedAmuletUnlock].
type LockedAmuletUnlockResult struct {
	_         struct{}                            `lf:"splice-amulet:Splice.Amulet:LockedAmulet_UnlockResult"`
	AmuletSum AmuletCreateSummary[lf.CID[Amulet]] `lf:"amuletSum"`
	Meta      *token.Metadata                     `lf:"meta"`
}

// LockedAmuletOwnerExpireLockResult was the result of [LockedAmuletOwnerExpireLock].
type LockedAmuletOwnerExpireLockResult struct {
	_         struct{}                            `lf:"splice-amulet:Splice.Amulet:LockedAmulet_OwnerExpireLockResult"`
	AmuletSum AmuletCreateSummary[lf.CID[Amulet]] `lf:"amuletSum"`
	Meta      *token.Metadata                     `lf:"meta"`
}

// LockedAmuletExpireAmuletResult was the result of [LockedAmuletExpireAmulet].
type LockedAmuletExpireAmuletResult struct {
	_         struct{}            `lf:"splice-amulet:Splice.Amulet:LockedAmulet_ExpireAmuletResult"`
	ExpireSum AmuletExpireSummary `lf:"expireSum"`
	Meta      *token.Metadata     `lf:"meta"`
}

func lockedAmuletTemplate() ledger.TemplateSource {
	return ledger.Template[LockedAmulet]{
		Network:     ledger.DSOSigned(func(l LockedAmulet) Party { return l.Amulet.DSO }),
		Signatories: func(l LockedAmulet) []Party { return append(l.ownerAndHolders(), l.Amulet.DSO) },
		Choices: []ledger.ChoiceOf[LockedAmulet]{
			abortingChoice[LockedAmuletUnlockResult]("LockedAmulet_Unlock", true,
				func(l LockedAmulet, _ LockedAmuletUnlock) []Party { return l.ownerAndHolders() }),
			ledger.Choice[LockedAmulet, LockedAmuletUnlockV2, LockedAmuletUnlockV2Result]{
				Consuming:   true,
				Controllers: func(l LockedAmulet, _ LockedAmuletUnlockV2) []Party { return l.ownerAndHolders() },
				Body:        unlock,
			},
			abortingChoice[LockedAmuletOwnerExpireLockResult]("LockedAmulet_OwnerExpireLock", true,
				func(l LockedAmulet, _ LockedAmuletOwnerExpireLock) []Party { return []Party{l.Amulet.Owner} }),
			ledger.Choice[LockedAmulet, LockedAmuletOwnerExpireLockV2, LockedAmuletOwnerExpireLockV2Result]{
				Consuming: true,
				Controllers: func(l LockedAmulet, _ LockedAmuletOwnerExpireLockV2) []Party {
					return []Party{l.Amulet.Owner}
				},
				Body: expireLock,
			},
			abortingChoice[LockedAmuletExpireAmuletResult]("LockedAmulet_ExpireAmulet", true,
				func(l LockedAmulet, _ LockedAmuletExpireAmulet) []Party { return []Party{l.Amulet.DSO} }),
			ledger.Choice[LockedAmulet, LockedAmuletExpireAmuletV2, LockedAmuletExpireAmuletV2Result]{
				Consuming:   true,
				Controllers: func(l LockedAmulet, _ LockedAmuletExpireAmuletV2) []Party { return []Party{l.Amulet.DSO} },
				Body:        expireLockedAmulet,
			},
		},
		Interfaces: []ledger.ImplementationOf[LockedAmulet]{
			ledger.Implements[LockedAmulet, token.Holding, token.HoldingView]{View: LockedAmulet.holdingView},
		},
	}
}

func (l LockedAmulet) ownerAndHolders() []Party {
	return append([]Party{l.Amulet.Owner}, l.Lock.Holders...)
}

// unlock restores the inner coin with the same amount, round and rate.
func unlock(
	tx *ledger.Tx, _ lf.CID[LockedAmulet], l LockedAmulet, _ LockedAmuletUnlockV2,
) (LockedAmuletUnlockV2Result, error) {
	amulet, err := ledger.Create(tx, l.Amulet)
	meta := holdingMeta(txUnlock, "holders released lock", decimal.Decimal{})
	return LockedAmuletUnlockV2Result{AmuletCid: amulet, Meta: meta}, err
}

func expireLock(
	tx *ledger.Tx, _ lf.CID[LockedAmulet], l LockedAmulet, _ LockedAmuletOwnerExpireLockV2,
) (LockedAmuletOwnerExpireLockV2Result, error) {
	if err := ledger.RequireDeadlineExceeded(tx, "Lock.expiresAt", l.Lock.ExpiresAt); err != nil {
		return LockedAmuletOwnerExpireLockV2Result{}, err
	}
	amulet, err := ledger.Create(tx, l.Amulet)
	meta := holdingMeta(txUnlock, "lock expired", decimal.Decimal{})
	return LockedAmuletOwnerExpireLockV2Result{AmuletCid: amulet, Meta: meta}, err
}

func expireLockedAmulet(
	tx *ledger.Tx, _ lf.CID[LockedAmulet], l LockedAmulet, arg LockedAmuletExpireAmuletV2,
) (LockedAmuletExpireAmuletV2Result, error) {
	err := requireExpired(tx, l.Amulet, arg.ExternalPartyConfigState0Cid, arg.ExternalPartyConfigState1Cid)
	return LockedAmuletExpireAmuletV2Result{
		ExpireSum: AmuletExpireV2Summary{Owner: l.Amulet.Owner},
		Meta:      holdingMeta(txExpireDust, "", l.Amulet.Amount.InitialAmount),
	}, err
}

func (l LockedAmulet) holdingView() (token.HoldingView, error) {
	view, err := l.Amulet.holdingView()
	view.Lock = &token.Lock{Holders: l.Lock.Holders, ExpiresAt: &l.Lock.ExpiresAt, Context: l.Lock.OptContext}
	return view, err
}
