package prepared

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// value shows each field of a record on its own line, and any other value on one line.
func (d *description) value(value *ledgerpb.Value, depth int) {
	record := value.GetRecord()
	if record == nil {
		d.line(depth, "%s", d.inline(value))
		return
	}
	width := 0
	for _, field := range record.GetFields() {
		width = max(width, len(safe(field.GetLabel())))
	}
	for _, field := range record.GetFields() {
		if nested := field.GetValue().GetRecord(); nested != nil && len(nested.GetFields()) > 0 {
			d.line(depth, "%s", safe(field.GetLabel()))
			d.value(field.GetValue(), depth+1)
			continue
		}
		d.line(depth, "%-*s  %s", width, safe(field.GetLabel()), d.inline(field.GetValue()))
	}
}

func (d *description) inline(value *ledgerpb.Value) string {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Unit:
		return "()"
	case *ledgerpb.Value_Bool:
		return strconv.FormatBool(sum.Bool)
	case *ledgerpb.Value_Int64:
		return strconv.FormatInt(sum.Int64, 10)
	case *ledgerpb.Value_Numeric:
		return sum.Numeric
	case *ledgerpb.Value_Timestamp:
		return lf.Timestamp(sum.Timestamp).String()
	case *ledgerpb.Value_Date:
		return lf.Date(sum.Date).String()
	case *ledgerpb.Value_Party:
		return d.names.party(sum.Party)
	case *ledgerpb.Value_Text:
		return strconv.Quote(sum.Text)
	case *ledgerpb.Value_ContractId:
		return shortID(sum.ContractId)
	case *ledgerpb.Value_Enum:
		return safe(sum.Enum.GetConstructor())
	default:
		return d.inlineComposite(value)
	}
}

func (d *description) inlineComposite(value *ledgerpb.Value) string {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		if sum.Optional.GetValue() == nil {
			return "none"
		}
		return d.inline(sum.Optional.GetValue())
	case *ledgerpb.Value_List:
		return "[" + joined(sum.List.GetElements(), d.inline) + "]"
	case *ledgerpb.Value_TextMap:
		return "{" + joined(sum.TextMap.GetEntries(), func(entry *ledgerpb.TextMap_Entry) string {
			return strconv.Quote(entry.GetKey()) + ": " + d.inline(entry.GetValue())
		}) + "}"
	case *ledgerpb.Value_GenMap:
		return "{" + joined(sum.GenMap.GetEntries(), func(entry *ledgerpb.GenMap_Entry) string {
			return d.inline(entry.GetKey()) + ": " + d.inline(entry.GetValue())
		}) + "}"
	case *ledgerpb.Value_Record:
		return "{" + joined(sum.Record.GetFields(), func(field *ledgerpb.RecordField) string {
			return safe(field.GetLabel()) + ": " + d.inline(field.GetValue())
		}) + "}"
	case *ledgerpb.Value_Variant:
		return safe(sum.Variant.GetConstructor()) + " " + d.inline(sum.Variant.GetValue())
	default:
		return "?"
	}
}

func joined[T any](elements []T, show func(T) string) string {
	parts := make([]string, len(elements))
	for i, element := range elements {
		parts[i] = show(element)
	}
	return strings.Join(parts, ", ")
}

// safe quotes text with special characters, which could control a terminal or look like other text.
func safe(text string) string {
	for _, char := range text {
		if !strconv.IsPrint(char) {
			return strconv.Quote(text)
		}
	}
	return text
}

// The shown beginning and end of a shortened id: enough to tell ids apart by eye.
const (
	shortPrefix = 12
	shortSuffix = 6
)

func shortID(id string) string {
	if len(id) <= shortPrefix+shortSuffix {
		return safe(id)
	}
	return safe(id[:shortPrefix] + "…" + id[len(id)-shortSuffix:])
}

// names shortens the parties of a transaction, unless two short names would be the same.
type names struct {
	parties []string
	short   map[string]string
}

func namesIn(t *Transaction) *names {
	found := slices.Clone(t.message.GetMetadata().GetSubmitterInfo().GetActAs())
	for _, id := range t.order {
		found = append(found, partiesOf(t.nodes[id])...)
	}
	for _, input := range t.message.GetMetadata().GetInputContracts() {
		found = append(found, input.GetV1().GetStakeholders()...)
		found = append(found, partiesIn(input.GetV1().GetArgument())...)
	}
	slices.Sort(found)
	out := &names{parties: slices.Compact(found), short: map[string]string{}}
	looks := map[string]int{}
	for _, party := range out.parties {
		out.short[party] = shortParty(party)
		looks[out.short[party]]++
	}
	for _, party := range out.parties {
		if looks[out.short[party]] > 1 {
			out.short[party] = party
		}
	}
	return out
}

func partiesOf(node *ledgerpb.Node) []string {
	create, exercise, fetch := node.GetCreate(), node.GetExercise(), node.GetFetch()
	return slices.Concat(create.GetStakeholders(), partiesIn(create.GetArgument()),
		exercise.GetStakeholders(), exercise.GetActingParties(), exercise.GetChoiceObservers(),
		partiesIn(exercise.GetChosenValue()), fetch.GetStakeholders(), fetch.GetActingParties(),
		partiesIn(node.GetQueryByKey().GetKey().GetKey().GetKey()))
}

func partiesIn(value *ledgerpb.Value) []string {
	var out []string
	visitValues(value, func(inner *ledgerpb.Value) {
		if party, ok := inner.GetSum().(*ledgerpb.Value_Party); ok {
			out = append(out, party.Party)
		}
	})
	return out
}

func visitValues(value *ledgerpb.Value, visit func(*ledgerpb.Value)) {
	if value == nil {
		return
	}
	visit(value)
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		visitValues(sum.Optional.GetValue(), visit)
	case *ledgerpb.Value_List:
		for _, element := range sum.List.GetElements() {
			visitValues(element, visit)
		}
	case *ledgerpb.Value_TextMap:
		for _, entry := range sum.TextMap.GetEntries() {
			visitValues(entry.GetValue(), visit)
		}
	case *ledgerpb.Value_GenMap:
		for _, entry := range sum.GenMap.GetEntries() {
			visitValues(entry.GetKey(), visit)
			visitValues(entry.GetValue(), visit)
		}
	case *ledgerpb.Value_Record:
		for _, field := range sum.Record.GetFields() {
			visitValues(field.GetValue(), visit)
		}
	case *ledgerpb.Value_Variant:
		visitValues(sum.Variant.GetValue(), visit)
	}
}

func shortParty(party string) string {
	hint, namespace, ok := ledger.SplitParty(party)
	if !ok || len(namespace) <= shortPrefix+shortSuffix {
		return party
	}
	return fmt.Sprintf("%s::%s…%s", hint, namespace[:shortPrefix], namespace[len(namespace)-shortSuffix:])
}

func (n *names) party(party string) string {
	if short, ok := n.short[party]; ok {
		return safe(short)
	}
	return safe(party)
}

func (n *names) list(parties []string) string {
	if len(parties) == 0 {
		return "nobody"
	}
	return joined(parties, n.party)
}
