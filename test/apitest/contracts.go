package apitest

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// The contracts of these tests: a note with an amount, an owner and observers.

// NotePackage is the id of the package of test contracts.
const NotePackage = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// NoteTemplate and NoteInterface are the names in commands and filters; the IDs are the names in answers.
const (
	NoteTemplate    = "#api-test:Api.Test:Note"
	NoteTemplateID  = NotePackage + ":Api.Test:Note"
	NoteInterface   = "#api-test:Api.Test:Valued"
	NoteInterfaceID = NotePackage + ":Api.Test:Valued"
)

// Note is the template.
type Note struct {
	_       struct{}        `lf:"api-test:Api.Test:Note"`
	Owner   ledger.Party    `lf:"owner"`
	Readers []ledger.Party  `lf:"readers"`
	Label   string          `lf:"label"`
	Amount  decimal.Decimal `lf:"amount"`
}

// NoteKey is the contract key: one note for each label of an owner.
type NoteKey struct {
	_     struct{}     `lf:"api-test:Api.Test:NoteKey"`
	Owner ledger.Party `lf:"owner"`
	Label string       `lf:"label"`
}

// Relabel replaces the note by one with another label.
type Relabel struct {
	_     struct{} `lf:"api-test:Api.Test:Relabel"`
	Label string   `lf:"label"`
}

// Inspect reads the note and changes nothing.
type Inspect struct {
	_ struct{} `lf:"api-test:Api.Test:Inspect"`
}

// Valued is the interface of contracts with an amount.
type Valued struct {
	_ struct{} `lf:"api-test:Api.Test:Valued"`
}

// ValuedView is the view of [Valued].
type ValuedView struct {
	_      struct{}        `lf:"api-test:Api.Test:ValuedView"`
	Amount decimal.Decimal `lf:"amount"`
}

// notePackage is the package of the test contracts.
func notePackage() ledger.Package {
	owner := func(note Note) []ledger.Party { return []ledger.Party{note.Owner} }
	return ledger.Package{
		ID: NotePackage, Name: "api-test", Version: "1.0.0",
		Interfaces: []ledger.InterfaceSource{ledger.Interface[Valued, ValuedView]{}},
		Templates: []ledger.TemplateSource{ledger.Template[Note]{
			Signatories: owner,
			Observers:   func(note Note) []ledger.Party { return note.Readers },
			Ensure: ledger.That("the amount is not negative",
				func(note Note) bool { return note.Amount.Sign() >= 0 }),
			Key: ledger.Key[Note, NoteKey]{
				Of:          func(note Note) NoteKey { return NoteKey{Owner: note.Owner, Label: note.Label} },
				Maintainers: func(key NoteKey) []ledger.Party { return []ledger.Party{key.Owner} },
			},
			Choices: []ledger.ChoiceOf[Note]{
				ledger.Choice[Note, Relabel, lf.CID[Note]]{
					Consuming:   true,
					Controllers: func(note Note, _ Relabel) []ledger.Party { return owner(note) },
					Body: func(tx *ledger.Tx, _ lf.CID[Note], note Note, arg Relabel) (lf.CID[Note], error) {
						note.Label = arg.Label
						return ledger.Create(tx, note)
					},
				},
				ledger.Choice[Note, Inspect, decimal.Decimal]{
					Controllers: func(note Note, _ Inspect) []ledger.Party { return owner(note) },
					Body: func(_ *ledger.Tx, _ lf.CID[Note], note Note, _ Inspect) (decimal.Decimal, error) {
						return note.Amount, nil
					},
				},
			},
			Interfaces: []ledger.ImplementationOf[Note]{ledger.Implements[Note, Valued, ValuedView]{
				View: func(note Note) (ValuedView, error) { return ValuedView{Amount: note.Amount}, nil },
			}},
		}},
	}
}
