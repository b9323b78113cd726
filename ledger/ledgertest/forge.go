package ledgertest

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Forger makes false contracts of any template, with only the authority of its author.
type Forger struct {
	// Author is the only signatory.
	Author ledger.Party
	// Targets are the parties to name wherever the author's signature is enough.
	Targets []ledger.Party
	// Text gives the text of a field; nil for the name of the coin in all fields.
	Text func(field string) string
	// Contract is the contract id in payloads; "" for the id of a missing contract.
	Contract ledger.ContractID
	// Examples are genuine contracts. Of each, it makes a copy with the author in place of every party.
	Examples []ledger.Contract
}

// shape is the content of a payload's fields other than parties.
type shape struct {
	amount  decimal.Decimal
	number  int64
	present bool // with optional values
	yes     bool
	items   int // of lists
}

func shapes() []shape {
	var all []shape
	for _, amount := range []string{
		"1000000000", "9000000000000000000000000000", "1000000000000000", "0.0000000001", "0",
	} {
		for _, number := range []int64{1, 2, math.MaxInt64} {
			for i := range 8 {
				all = append(all, shape{decimal.MustParse(amount), number, i&1 == 0, i&2 == 0, 1 - i>>2})
			}
		}
	}
	return all
}

// Forge makes as many different contracts of a template as the template accepts, on a ledger in memory: with small and
// the largest amounts and numbers, and with each target in every place that does not need its signature. It uses only
// the description of the payload.
func Forge(book *Ledger, template lf.TypeName, forger Forger) []ledger.Contract {
	payload, ok := book.Packages.PayloadType(template)
	if !ok {
		return nil
	}
	forged := copies(book, template, payload, forger)
	seen := map[string]bool{}
	for _, shape := range shapes() {
		parties := map[string]ledger.Party{}
		try := func(parties map[string]ledger.Party) (ledger.Contract, bool) {
			f := shapeFiller{Forger: forger, shape: shape, parties: parties}
			return book.create(template, lf.EncodeJSON(payload, f.value(payload, "", "")), forger.Author)
		}
		keep := func(parties map[string]ledger.Party) bool {
			contract, ok := try(parties)
			if ok && !seen[string(contract.Payload)] {
				seen[string(contract.Payload)] = true
				forged = append(forged, contract)
			}
			return ok
		}
		if !keep(parties) {
			continue
		}
		for _, target := range forger.Targets {
			named := map[string]ledger.Party{}
			f := shapeFiller{Forger: forger, shape: shape, places: map[string]bool{}}
			f.value(payload, "", "")
			for _, place := range slices.Sorted(maps.Keys(f.places)) {
				named[place] = target
				if _, ok := try(named); !ok {
					delete(named, place)
				}
			}
			keep(named)
		}
	}
	return forged
}

func copies(book *Ledger, template lf.TypeName, payload *lf.Type, forger Forger) (forged []ledger.Contract) {
	for _, example := range forger.Examples {
		if example.Template != template {
			continue
		}
		value, err := lf.DecodeJSON(payload, example.Payload)
		if err != nil {
			continue
		}
		contract, ok := book.create(template, lf.EncodeJSON(payload, withParty(value, forger.Author)), forger.Author)
		if ok {
			forged = append(forged, contract)
		}
	}
	return forged
}

// withParty is a value with a party in place of all its parties.
func withParty(value lf.Value, party ledger.Party) lf.Value {
	switch v := value.(type) {
	case lf.Party:
		return party
	case lf.Optional:
		if v.Value != nil {
			v.Value = withParty(v.Value, party)
		}
		return v
	case lf.List:
		out := make(lf.List, len(v))
		for i, element := range v {
			out[i] = withParty(element, party)
		}
		return out
	case lf.GenMap: // of several entries with one party key, the last stays
		out := make(lf.GenMap, 0, 1)
		for _, entry := range v {
			out = lf.GenMap{{Key: withParty(entry.Key, party), Value: withParty(entry.Value, party)}}
		}
		return out
	case lf.Record:
		out := lf.Record{Type: v.Type}
		for _, field := range v.Fields {
			out.Fields = append(out.Fields, lf.Field{Label: field.Label, Value: withParty(field.Value, party)})
		}
		return out
	case lf.Variant:
		v.Value = withParty(v.Value, party)
		return v
	default:
		return value
	}
}

func (l *Ledger) create(template lf.TypeName, payload []byte, author ledger.Party) (ledger.Contract, bool) {
	transaction, err := l.SubmitCommands(As(author), ledger.Command{
		Create: &ledger.CreateCommand{Template: template, Argument: payload},
	})
	if err != nil {
		return ledger.Contract{}, false
	}
	return transaction.Created()[0].Contract, true
}

type shapeFiller struct {
	Forger
	shape

	parties map[string]ledger.Party // parties by place; the author in all other places
	places  map[string]bool         // collects the places of parties, if not nil
	depth   int
}

// value makes a value of a type; path is its place, field the name of the innermost field.
func (f *shapeFiller) value(described *lf.Type, path, field string) lf.Value {
	f.depth++
	defer func() { f.depth-- }()
	switch described.Kind {
	case lf.KindBool:
		return lf.Bool(f.yes)
	case lf.KindInt64:
		return lf.Int64(f.number)
	case lf.KindNumeric:
		return lf.Numeric{Decimal: f.amount}
	case lf.KindText:
		if f.Text == nil {
			return lf.Text("Amulet")
		}
		return lf.Text(f.Text(field))
	case lf.KindParty:
		return f.party(path)
	case lf.KindContractID:
		if f.Contract == "" {
			return lf.ContractID("00" + strings.Repeat("ab", 32))
		}
		return f.Contract
	case lf.KindTimestamp:
		return f.time(field)
	case lf.KindDate:
		return lf.Date(1)
	case lf.KindEnum:
		return lf.Enum{Type: described.Name, Constructor: described.Constructors[0].Name}
	default:
		return f.composite(described, path, field)
	}
}

func (f *shapeFiller) party(path string) lf.Value {
	if f.places != nil {
		f.places[path] = true
	}
	if party, ok := f.parties[path]; ok {
		return party
	}
	return f.Author
}

// time sets beginnings in the past and ends in the future.
func (f *shapeFiller) time(field string) lf.Value {
	const hour = 3_600_000_000
	field = strings.ToLower(field)
	for _, past := range []string{"opens", "created", "requested", "from", "last", "since", "allocatebefore"} {
		if strings.HasPrefix(field, past) || strings.HasSuffix(field, past) {
			return lf.TimestampOf(Start) - hour
		}
	}
	if field == "settlebefore" {
		return lf.TimestampOf(Start) + 200_000*hour
	}
	return lf.TimestampOf(Start) + 100_000*hour
}

func (f *shapeFiller) composite(described *lf.Type, path, field string) lf.Value {
	const deepest = 12 // of types that contain themselves
	switch described.Kind {
	case lf.KindOptional:
		if !f.present || f.depth > deepest {
			return lf.Optional{}
		}
		return lf.Optional{Value: f.value(described.Element, path, field)}
	case lf.KindList:
		list := lf.List{}
		for range f.items {
			if f.depth <= deepest {
				list = append(list, f.value(described.Element, path, field))
			}
		}
		return list
	case lf.KindTextMap:
		return lf.TextMap{{Key: "key", Value: f.value(described.Element, path, field)}}[:f.items]
	case lf.KindGenMap:
		return lf.GenMap{{
			Key: f.value(described.Key, path+".key", field), Value: f.value(described.Element, path, field),
		}}[:f.items]
	case lf.KindRecord:
		record := lf.Record{Type: described.Name}
		for _, member := range described.Fields {
			record.Fields = append(record.Fields, lf.Field{
				Label: member.Name, Value: f.value(member.Type, path+"."+member.Name, member.Name),
			})
		}
		return record
	case lf.KindVariant:
		member := described.Constructors[0]
		return lf.Variant{
			Type: described.Name, Constructor: member.Name, Value: f.value(member.Type, path+"."+member.Name, member.Name),
		}
	default:
		return lf.Unit{}
	}
}
