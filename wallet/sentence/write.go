package sentence

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"github.com/florinledger/florin/ledger/decimal"
)

// writer writes the sentence of an event. events are the event and its consequences.
type writer struct {
	Reader

	event  Event
	events []Event
	roots  map[string]any // decoded values by the first word of their paths
}

// apply writes the first text of a rule whose values are all known.
func (w *writer) apply(r rule) Sentence {
	for _, text := range r.texts {
		if parts, ok := w.fill(text.words); ok {
			return w.finish(parts, cmp.Or(text.state, r.state))
		}
	}
	return w.generic()
}

func (w *writer) fill(text string) (parts []Part, ok bool) {
	for text != "" {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			return append(parts, Part{Text: text}), true
		}
		if at > 0 {
			parts = append(parts, Part{Text: text[:at]})
		}
		until := at + strings.IndexAny(text[at:], "}]")
		inside := text[at+1 : until]
		if text[at] == '[' {
			parts = append(parts, Part{Text: w.verb(inside), Role: Verb})
		} else {
			filled, ok := w.value(inside)
			if !ok {
				return nil, false
			}
			parts = append(parts, filled...)
		}
		text = text[until+1:]
	}
	return parts, true
}

func (w *writer) verb(past string) string {
	if w.Present {
		return present[past]
	}
	return past
}

// value writes the parts of a value, or checks a condition.
func (w *writer) value(inside string) ([]Part, bool) {
	kind, path, _ := strings.Cut(inside, " ")
	if kind == "who" {
		return people(w.event.By), len(w.event.By) > 0
	}
	if kind == "same" {
		one, other, _ := strings.Cut(path, " ")
		a, b := w.text(one), w.text(other)
		return nil, a != "" && a == b
	}
	path, more, _ := strings.Cut(path, " ")
	found := w.find(path)
	switch kind {
	case "tag":
		variant, _ := found.(map[string]any)
		return nil, variant["tag"] == more
	case "none", "one":
		list, isList := found.([]any)
		return nil, isList && len(list) == map[string]int{"none": 0, "one": 1}[kind]
	case "pending":
		output, _ := found.(map[string]any)
		tag, _ := output["tag"].(string)
		return nil, strings.HasSuffix(tag, "_Pending")
	case "party", "party's":
		id, ok := found.(string)
		return []Part{party(id, kind == "party's")}, ok && id != ""
	case "count":
		list, ok := found.([]any)
		return []Part{{Text: plural(len(list), strings.ReplaceAll(more, "_", " "))}}, ok
	}
	text, ok := w.words(kind, found)
	part := Part{Text: text}
	if kind == "cc" || kind == "token" || kind == "pay" {
		part.Role = Amount
	}
	return []Part{part}, ok
}

// words writes a value that names nobody.
func (w *writer) words(kind string, found any) (string, bool) {
	switch kind {
	case "cc":
		return amount(found, "CC")
	case "pay":
		fields, _ := found.(map[string]any)
		unit := "CC"
		if fields["unit"] == "USDUnit" {
			unit = "USD"
		}
		return amount(fields["amount"], unit)
	case "token":
		fields, _ := found.(map[string]any)
		instrument, _ := fields["instrumentId"].(map[string]any)
		id, ok := instrument["id"].(string)
		if !ok {
			return "", false
		}
		return amount(fields["amount"], w.unit(id))
	case "bytes":
		return traffic(found)
	case "day":
		return day(found)
	default:
		text, ok := found.(string)
		return clean(text), ok && text != ""
	}
}

// unit is the unit of an instrument. Only the coin of the built-in packages is called CC.
func (w *writer) unit(instrument string) string {
	switch {
	case w.event.Foreign == "" && instrument == "Amulet":
		return "CC"
	case w.event.Foreign != "" && (strings.EqualFold(instrument, "CC") || strings.EqualFold(instrument, "Amulet")):
		return strconv.Quote(instrument)
	default:
		return clean(instrument)
	}
}

// party names a party by its hint; [Sentence.Named] gives it another name.
func party(id string, possessive bool) Part {
	part := Part{Text: hintOf(id), Party: id}
	if possessive {
		part.Text += ofIt
	}
	return part
}

const maxPeople = 3

// people names parties: "a, b and 3 others".
func people(parties []string) (parts []Part) {
	for i, id := range parties {
		switch {
		case i == maxPeople:
			return append(parts, Part{Text: " and " + strconv.Itoa(len(parties)-maxPeople) + " others"})
		case i > 0 && i == len(parties)-1:
			parts = append(parts, Part{Text: " and "})
		case i > 0:
			parts = append(parts, Part{Text: ", "})
		}
		parts = append(parts, party(id, false))
	}
	return parts
}

// finish gives the parts their roles, and names the package of users.
func (w *writer) finish(parts []Part, state State) Sentence {
	verb := false
	var who, whom bool
	for i := range parts {
		part := &parts[i]
		switch {
		case part.Role == Verb:
			verb = true
		case part.Party != "" && !verb && !who:
			part.Role, who = Who, true
		case part.Party != "" && verb && !whom:
			part.Role, whom = Whom, true
		}
	}
	if w.event.Foreign != "" {
		parts = append(parts, Part{Text: " (package " + clean(w.event.Foreign) + ")"})
	}
	return Sentence{Parts: parts, State: state}
}

// amount writes an amount exactly, with thousands separators.
func amount(value any, unit string) (string, bool) {
	text, isText := value.(string)
	if !isText {
		return "", false
	}
	number, err := decimal.Parse(text)
	if err != nil {
		return "", false
	}
	return GroupThousands(number.Show()) + " " + unit, true
}

// GroupThousands writes a decimal exactly, with thousands separators: 1,234.5.
func GroupThousands(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest = strings.TrimRight(rest, "0"); rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

const maxText = 80

// clean shortens a text of other people, and drops characters that change the writing direction or do not print.
func clean(text string) string {
	var kept strings.Builder
	count := 0
	for _, char := range text {
		if char == '\n' || char == '\t' {
			char = ' '
		}
		if !unicode.IsGraphic(char) {
			continue
		}
		if count++; count > maxText {
			return kept.String() + "…"
		}
		kept.WriteRune(char)
	}
	return kept.String()
}

// plural counts things, whose name is a plural.
func plural(n int, things string) string {
	if n == 1 {
		if stem, ok := strings.CutSuffix(things, "ies"); ok {
			return "1 " + stem + "y"
		}
		words := strings.SplitN(things, " ", 2) // "notes of activity"
		return "1 " + strings.Join(append([]string{strings.TrimSuffix(words[0], "s")}, words[1:]...), " ")
	}
	return strconv.Itoa(n) + " " + things
}
