package ledgertest

import (
	"errors"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Ids of the test packages.
const (
	ModelPackage = "1111111111111111111111111111111111111111111111111111111111111111"
	OlderModel   = "0000000000000000000000000000000000000000000000000000000000000001"
	AssetPackage = "2222222222222222222222222222222222222222222222222222222222222222"
)

// Packages are a package of templates for tests of the ledger's rules, and one with an interface that two of them
// implement.
func Packages() []ledger.Package {
	return []ledger.Package{
		{
			ID: ModelPackage, Name: "test-model", Version: "1.2.0",
			OtherIDs: []lf.PackageID{OlderModel}, OtherNames: []string{"old-name"},
			Templates: []ledger.TemplateSource{
				iouTemplate(), couponTemplate(), badgeTemplate(), brokerTemplate(), everythingTemplate(),
			},
		},
		{
			ID: AssetPackage, Name: "test-asset", Version: "1.0.0",
			Interfaces: []ledger.InterfaceSource{
				ledger.Interface[Asset, AssetView]{
					Choices: []ledger.InterfaceChoiceOf[AssetView]{
						ledger.InterfaceChoice[AssetView, Give, lf.CID[Asset]]{
							Consuming:   true,
							Controllers: func(view AssetView, _ Give) []ledger.Party { return []ledger.Party{view.Owner} },
							Observers:   func(_ AssetView, arg Give) []ledger.Party { return []ledger.Party{arg.To} },
						},
					},
				},
				ledger.Interface[Unused, AssetView]{},
			},
		},
	}
}

// Iou has its issuer as signatory, and its owner and the named observers as observers.
type Iou struct {
	_         struct{}        `lf:"test-model:Test.Model:Iou"`
	Issuer    ledger.Party    `lf:"issuer"`
	Owner     ledger.Party    `lf:"owner"`
	Observers []ledger.Party  `lf:"observers"`
	Amount    decimal.Decimal `lf:"amount"`
}

// TransferIou gives an [Iou] to a new owner, a choice observer.
type TransferIou struct {
	_        struct{}     `lf:"test-model:Test.Model:TransferIou"`
	NewOwner ledger.Party `lf:"newOwner"`
}

// Inspect shows an [Iou] to any parties.
type Inspect struct {
	_  struct{}       `lf:"test-model:Test.Model:Inspect"`
	By []ledger.Party `lf:"by"`
}

// Asset is the interface of contracts with an owner.
type Asset struct {
	_ struct{} `lf:"test-asset:Test.Asset:Asset"`
}

// Unused is an interface that nothing implements.
type Unused struct {
	_ struct{} `lf:"test-asset:Test.Asset:Unused"`
}

// AssetView is the view of [Asset].
type AssetView struct {
	_      struct{}        `lf:"test-asset:Test.Asset:AssetView"`
	Owner  ledger.Party    `lf:"owner"`
	Amount decimal.Decimal `lf:"amount"`
}

// Give gives an [Asset] to a new owner.
type Give struct {
	_  struct{}     `lf:"test-asset:Test.Asset:Give"`
	To ledger.Party `lf:"to"`
}

// Coupon is another implementation of [Asset]; the view of a coupon of zero fails.
type Coupon struct {
	_      struct{}        `lf:"test-model:Test.Model:Coupon"`
	Issuer ledger.Party    `lf:"issuer"`
	Holder ledger.Party    `lf:"holder"`
	Worth  decimal.Decimal `lf:"worth"`
}

// Badge has a contract key of its maintainers and its subject. Without an owner it has no signatory.
type Badge struct {
	_           struct{}       `lf:"test-model:Test.Model:Badge"`
	Owner       ledger.Party   `lf:"owner"`
	Maintainers []ledger.Party `lf:"maintainers"`
	Subject     string         `lf:"subject"`
	Contract    *lf.CID[Badge] `lf:"contract"`
}

// BadgeKey is the key of a [Badge].
type BadgeKey struct {
	_           struct{}       `lf:"test-model:Test.Model:BadgeKey"`
	Maintainers []ledger.Party `lf:"maintainers"`
	Subject     string         `lf:"subject"`
	Contract    *lf.CID[Badge] `lf:"contract"`
}

// Rename gives a [Badge] another subject.
type Rename struct {
	_       struct{} `lf:"test-model:Test.Model:Rename"`
	Subject string   `lf:"subject"`
}

func iouTemplate() ledger.TemplateSource {
	return ledger.Template[Iou]{
		Signatories: func(i Iou) []ledger.Party { return []ledger.Party{i.Issuer} },
		Observers:   func(i Iou) []ledger.Party { return append([]ledger.Party{i.Owner, i.Issuer}, i.Observers...) },
		Ensure: ledger.That("the amount is more than 0",
			func(i Iou) bool { return i.Amount.Sign() > 0 }),
		Choices: []ledger.ChoiceOf[Iou]{
			ledger.Choice[Iou, TransferIou, lf.CID[Iou]]{
				Consuming:   true,
				Controllers: func(i Iou, _ TransferIou) []ledger.Party { return []ledger.Party{i.Owner} },
				Observers:   func(_ Iou, arg TransferIou) []ledger.Party { return []ledger.Party{arg.NewOwner} },
				Body: func(tx *ledger.Tx, _ lf.CID[Iou], i Iou, arg TransferIou) (lf.CID[Iou], error) {
					i.Owner = arg.NewOwner
					return ledger.Create(tx, i)
				},
			},
			ledger.Choice[Iou, Inspect, Iou]{
				Controllers: func(_ Iou, arg Inspect) []ledger.Party { return arg.By },
				Body:        func(_ *ledger.Tx, _ lf.CID[Iou], i Iou, _ Inspect) (Iou, error) { return i, nil },
			},
		},
		Interfaces: []ledger.ImplementationOf[Iou]{
			ledger.Implements[Iou, Asset, AssetView]{
				View: func(i Iou) (AssetView, error) { return AssetView{Owner: i.Owner, Amount: i.Amount}, nil },
				Choices: []ledger.ChoiceOf[Iou]{
					ledger.Choice[Iou, Give, lf.CID[Asset]]{
						Body: func(tx *ledger.Tx, _ lf.CID[Iou], i Iou, arg Give) (lf.CID[Asset], error) {
							i.Owner = arg.To
							given, err := ledger.Create(tx, i)
							return lf.Coerce[Asset](given), err
						},
					},
				},
			},
		},
	}
}

func couponTemplate() ledger.TemplateSource {
	return ledger.Template[Coupon]{
		Signatories: func(c Coupon) []ledger.Party { return []ledger.Party{c.Issuer, c.Holder} },
		Interfaces: []ledger.ImplementationOf[Coupon]{
			ledger.Implements[Coupon, Asset, AssetView]{
				View: func(c Coupon) (AssetView, error) {
					if c.Worth.IsZero() {
						return AssetView{}, errors.New("a coupon of zero is no asset")
					}
					return AssetView{Owner: c.Holder, Amount: c.Worth}, nil
				},
				Choices: []ledger.ChoiceOf[Coupon]{
					ledger.Choice[Coupon, Give, lf.CID[Asset]]{
						Body: func(*ledger.Tx, lf.CID[Coupon], Coupon, Give) (lf.CID[Asset], error) {
							return "", ledger.Abort("coupons are not given away")
						},
					},
				},
			},
		},
	}
}

func badgeTemplate() ledger.TemplateSource {
	return ledger.Template[Badge]{
		Signatories: func(b Badge) []ledger.Party {
			if b.Owner == "" {
				return nil
			}
			return []ledger.Party{b.Owner}
		},
		Observers: func(b Badge) []ledger.Party { return slices.Clone(b.Maintainers) },
		Key: ledger.Key[Badge, BadgeKey]{
			Of: func(b Badge) BadgeKey {
				return BadgeKey{Maintainers: b.Maintainers, Subject: b.Subject, Contract: b.Contract}
			},
			Maintainers: func(key BadgeKey) []ledger.Party { return key.Maintainers },
		},
		Choices: []ledger.ChoiceOf[Badge]{
			ledger.Choice[Badge, Rename, lf.CID[Badge]]{
				Consuming:   true,
				Controllers: func(b Badge, _ Rename) []ledger.Party { return []ledger.Party{b.Owner} },
				Body: func(tx *ledger.Tx, _ lf.CID[Badge], b Badge, arg Rename) (lf.CID[Badge], error) {
					b.Subject = arg.Subject
					return ledger.Create(tx, b)
				},
			},
		},
	}
}
