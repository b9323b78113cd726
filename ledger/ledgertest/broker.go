package ledgertest

import (
	"errors"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Broker acts for its client, inside choices with the authority of its operator.
type Broker struct {
	_        struct{}     `lf:"test-model:Test.Model:Broker"`
	Operator ledger.Party `lf:"operator"`
	Client   ledger.Party `lf:"client"`
}

// Settle transfers an [Iou] of the client, and shows the result to a witness.
type Settle struct {
	_       struct{}       `lf:"test-model:Test.Model:Settle"`
	Iou     lf.CID[Iou]    `lf:"iou"`
	To      ledger.Party   `lf:"to"`
	Witness []ledger.Party `lf:"witness"`
}

// Look reads an [Iou], as one and as an [Asset].
type Look struct {
	_   struct{}    `lf:"test-model:Test.Model:Look"`
	Iou lf.CID[Iou] `lf:"iou"`
}

// GiveAsset gives any [Asset] of the client away; an empty To changes nothing.
type GiveAsset struct {
	_     struct{}      `lf:"test-model:Test.Model:GiveAsset"`
	Asset lf.CID[Asset] `lf:"asset"`
	To    ledger.Party  `lf:"to"`
}

// Issue creates an [Iou] of an issuer.
type Issue struct {
	_      struct{}     `lf:"test-model:Test.Model:Issue"`
	Issuer ledger.Party `lf:"issuer"`
}

// Burn archives an [Iou] of the operator twice, or archives it and then reads it.
type Burn struct {
	_    struct{}    `lf:"test-model:Test.Model:Burn"`
	Iou  lf.CID[Iou] `lf:"iou"`
	Then string      `lf:"then"`
}

// Recurse exercises itself until the depth is reached.
type Recurse struct {
	_     struct{} `lf:"test-model:Test.Model:Recurse"`
	Depth int64    `lf:"depth"`
}

// Repeat creates Count contracts.
type Repeat struct {
	_     struct{} `lf:"test-model:Test.Model:Repeat"`
	Count int64    `lf:"count"`
}

// AskTime returns the ledger time.
type AskTime struct {
	_ struct{} `lf:"test-model:Test.Model:AskTime"`
}

// CompareTime compares the ledger time with some others, without reading it.
type CompareTime struct {
	_    struct{}       `lf:"test-model:Test.Model:CompareTime"`
	With []lf.Timestamp `lf:"with"`
}

// Deadline fails unless the ledger time is within a deadline, or unless it exceeds it.
type Deadline struct {
	_      struct{}     `lf:"test-model:Test.Model:Deadline"`
	At     lf.Timestamp `lf:"at"`
	Within bool         `lf:"within"`
}

// Misbehave breaks a rule for templates.
type Misbehave struct {
	_   struct{} `lf:"test-model:Test.Model:Misbehave"`
	How string   `lf:"how"`
}

// Unregistered is a payload without a template.
type Unregistered struct {
	_ struct{} `lf:"test-model:Test.Model:Unregistered"`
}

func brokerTemplate() ledger.TemplateSource {
	return ledger.Template[Broker]{
		Signatories: func(b Broker) []ledger.Party { return []ledger.Party{b.Operator} },
		Observers:   func(b Broker) []ledger.Party { return []ledger.Party{b.Client} },
		Choices: []ledger.ChoiceOf[Broker]{
			byClient(settle), byClient(look), byClient(giveAsset), byClient(issue), byClient(burn), byClient(recurse),
			byClient(repeat), byClient(askTime), byClient(compareTime), byClient(deadline), byClient(misbehave),
		},
	}
}

// byClient is a nonconsuming choice that the client controls.
func byClient[A, R any](body func(tx *ledger.Tx, self lf.CID[Broker], b Broker, arg A) (R, error),
) ledger.ChoiceOf[Broker] {
	return ledger.Choice[Broker, A, R]{
		Controllers: func(b Broker, _ A) []ledger.Party { return []ledger.Party{b.Client} },
		Body:        body,
	}
}

func settle(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg Settle) (lf.CID[Iou], error) {
	settled, err := ledger.Exercise[lf.CID[Iou]](tx, arg.Iou, TransferIou{NewOwner: arg.To})
	if err != nil || len(arg.Witness) == 0 {
		return settled, err
	}
	_, err = ledger.Exercise[Iou](tx, settled, Inspect{By: arg.Witness})
	return settled, err
}

func look(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg Look) (AssetView, error) {
	if _, err := ledger.Fetch(tx, arg.Iou); err != nil {
		return AssetView{}, err
	}
	return ledger.FetchView[AssetView](tx, lf.Coerce[Asset](arg.Iou))
}

func giveAsset(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg GiveAsset) (lf.CID[Asset], error) {
	return ledger.Exercise[lf.CID[Asset]](tx, arg.Asset, Give{To: arg.To})
}

func issue(tx *ledger.Tx, _ lf.CID[Broker], b Broker, arg Issue) (lf.CID[Iou], error) {
	return ledger.Create(tx, Iou{Issuer: arg.Issuer, Owner: b.Client, Amount: decimal.FromInt(1)})
}

func burn(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg Burn) (lf.Unit, error) {
	if err := ledger.ArchiveContract(tx, arg.Iou); err != nil {
		return lf.Unit{}, err
	}
	if arg.Then == "read" {
		_, err := ledger.Fetch(tx, arg.Iou)
		return lf.Unit{}, err
	}
	return lf.Unit{}, ledger.ArchiveContract(tx, arg.Iou)
}

func recurse(tx *ledger.Tx, self lf.CID[Broker], _ Broker, arg Recurse) (lf.Unit, error) {
	if arg.Depth <= 0 {
		return lf.Unit{}, nil
	}
	return ledger.Exercise[lf.Unit](tx, self, Recurse{Depth: arg.Depth - 1})
}

func repeat(tx *ledger.Tx, _ lf.CID[Broker], b Broker, arg Repeat) (lf.Unit, error) {
	for range arg.Count {
		if _, err := ledger.Create(tx, Broker{Operator: b.Operator, Client: b.Client}); err != nil {
			return lf.Unit{}, err
		}
	}
	return lf.Unit{}, nil
}

func askTime(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, _ AskTime) (lf.Timestamp, error) {
	return tx.Now(), nil
}

func compareTime(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg CompareTime) ([]bool, error) {
	earlier := make([]bool, len(arg.With))
	for i, other := range arg.With {
		earlier[i] = tx.IsBefore(other)
	}
	return earlier, nil
}

func deadline(tx *ledger.Tx, _ lf.CID[Broker], _ Broker, arg Deadline) (lf.Unit, error) {
	if arg.Within {
		return lf.Unit{}, ledger.RequireWithinDeadline(tx, "test", arg.At)
	}
	return lf.Unit{}, ledger.RequireDeadlineExceeded(tx, "test", arg.At)
}

// The ways to misbehave.
const (
	Panic          = "panic"
	PlainError     = "plain error"
	CreateUnknown  = "create a payload without a template"
	FetchUnknown   = "fetch a payload without a template"
	ExerciseWrong  = "exercise a choice that the template does not have"
	TextWithNUL    = "create a text with NUL"
	TimeOutOfRange = "return a time after the year 9999"
	NobodySigns    = "create a contract that nobody signs"
	BadParty       = "create a contract of a malformed party"
	NoConstructor  = "return a variant without a constructor"
)

func misbehave(tx *ledger.Tx, self lf.CID[Broker], b Broker, arg Misbehave) (Any, error) {
	text := "fine"
	switch arg.How {
	case Panic:
		var nothing *Any
		nothing.Text = &text
	case PlainError:
		return Any{}, errors.New("a secret detail")
	case CreateUnknown:
		_, err := ledger.Create(tx, Unregistered{})
		return Any{Text: &text}, err
	case FetchUnknown:
		_, err := ledger.Fetch(tx, lf.CID[Unregistered](self))
		return Any{Text: &text}, err
	case ExerciseWrong:
		_, err := ledger.Exercise[lf.Unit](tx, self, Rename{})
		return Any{Text: &text}, err
	case TextWithNUL:
		_, err := ledger.Create(tx, Badge{Owner: b.Client, Maintainers: []ledger.Party{b.Client}, Subject: "a\x00b"})
		return Any{Text: &text}, err
	case TimeOutOfRange:
		_, err := ledger.Create(tx, Everything{Owner: b.Client, Timestamp: tx.Now().Add(lf.RelTime{Microseconds: 1 << 60})})
		return Any{Text: &text}, err
	case NobodySigns:
		_, err := ledger.Create(tx, Badge{})
		return Any{Text: &text}, err
	case BadParty:
		_, err := ledger.Create(tx, Iou{Issuer: b.Operator, Owner: "no party!", Amount: decimal.FromInt(1)})
		return Any{Text: &text}, err
	}
	return Any{}, nil // NoConstructor
}
