package ledgertest

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Everything is a contract with a field of every kind of value.
type Everything struct {
	_         struct{}                   `lf:"test-model:Test.Values:Everything"`
	Owner     ledger.Party               `lf:"owner"`
	Unit      lf.Unit                    `lf:"unit"`
	Bool      bool                       `lf:"bool"`
	Int       int64                      `lf:"int"`
	Numeric   decimal.Decimal            `lf:"numeric"`
	Text      string                     `lf:"text"`
	Contract  lf.CID[Everything]         `lf:"contract"`
	Timestamp lf.Timestamp               `lf:"timestamp"`
	Date      lf.Date                    `lf:"date"`
	Maybe     *string                    `lf:"maybe"`
	Nested    **int64                    `lf:"nested"`
	Deep      ***bool                    `lf:"deep"`
	List      []decimal.Decimal          `lf:"list"`
	TextMap   map[string]int64           `lf:"textMap"`
	GenMap    lf.Map[Round, []string]    `lf:"genMap"`
	Set       lf.Set[ledger.Party]       `lf:"set"`
	Pair      lf.Tuple2[string, lf.Date] `lf:"pair"`
	Colour    Colour                     `lf:"colour"`
	Shape     Shape                      `lf:"shape"`
	Any       Any                        `lf:"any"`
	Duration  lf.RelTime                 `lf:"duration"`
	// Last and Later are trailing optionals: JSON omits them when they are none.
	Last  *bool   `lf:"last"`
	Later **int64 `lf:"later"`
}

// Round is a record around a number, used as a key.
type Round struct {
	_      struct{} `lf:"test-model:Test.Values:Round"`
	Number int64    `lf:"number"`
}

// Colour is an enumeration.
type Colour string

// The colours.
const (
	Red   Colour = "Red"
	Green Colour = "Green"
)

// EnumType describes the enumeration.
func (Colour) EnumType() lf.EnumType {
	return lf.EnumType{Name: "test-model:Test.Values:Colour", Constructors: []string{string(Red), string(Green)}}
}

// Shape is a variant with a constructor of each form.
type Shape struct {
	_      struct{}         `lf:"variant test-model:Test.Values:Shape"`
	Nobody *lf.Unit         `lf:"Nobody"`
	Circle *decimal.Decimal `lf:"Circle"`
	Box    *Box             `lf:"Box"`
}

// Box is the record of a constructor.
type Box struct {
	_      struct{}        `lf:"test-model:Test.Values:Shape.Box"`
	Width  decimal.Decimal `lf:"width"`
	Height decimal.Decimal `lf:"height"`
}

// Any is a recursive variant.
type Any struct {
	_        struct{}                       `lf:"variant test-model:Test.Values:Any"`
	Text     *string                        `lf:"Any_Text"`
	Contract *lf.CID[Everything]            `lf:"Any_Contract"`
	List     *[]Any                         `lf:"Any_List"`
	Map      *map[string]Any                `lf:"Any_Map"`
	Maybe    **Any                          `lf:"Any_Maybe"`
	GenMap   *lf.Map[string, Any]           `lf:"Any_GenMap"`
	Pair     *lf.Tuple2[[]Any, lf.Set[Any]] `lf:"Any_Pair"`
}

// Echo returns the contract's payload with the argument in place of Any.
type Echo struct {
	_   struct{} `lf:"test-model:Test.Values:Echo"`
	Any Any      `lf:"any"`
}

// Wrap is like [Echo], with the argument in one more list.
type Wrap struct {
	_   struct{} `lf:"test-model:Test.Values:Wrap"`
	Any Any      `lf:"any"`
}

func everythingTemplate() ledger.TemplateSource {
	return ledger.Template[Everything]{
		Signatories: func(e Everything) []ledger.Party { return []ledger.Party{e.Owner} },
		Choices: []ledger.ChoiceOf[Everything]{
			ledger.Choice[Everything, Echo, Everything]{
				Controllers: func(e Everything, _ Echo) []ledger.Party { return []ledger.Party{e.Owner} },
				Body: func(_ *ledger.Tx, _ lf.CID[Everything], e Everything, arg Echo) (Everything, error) {
					e.Any = arg.Any
					return e, nil
				},
			},
			ledger.Choice[Everything, Wrap, Any]{
				Controllers: func(e Everything, _ Wrap) []ledger.Party { return []ledger.Party{e.Owner} },
				Body: func(_ *ledger.Tx, _ lf.CID[Everything], _ Everything, arg Wrap) (Any, error) {
					return Any{List: &[]Any{arg.Any}}, nil
				},
			},
		},
	}
}
