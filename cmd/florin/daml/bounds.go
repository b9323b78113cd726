package daml

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// A report stays readable whatever a script does: each of its parts is bounded, and says what it leaves out. The same
// bounds hold for what people read, for JSON and for JUnit's XML.
const (
	maxText      = 4 << 10   // bytes of a text that a script prints or fails with
	maxLine      = 1 << 10   // bytes of any other line
	maxTextLines = 100       // lines of the text that a script fails with
	maxPlaces    = 50        // of a call stack
	maxMessages  = 1000      // that a script prints
	maxPrinted   = 256 << 10 // bytes of all of them
	maxNodes     = 200       // of a transaction
	maxViews     = 50        // parties whose contracts are listed
	maxContracts = 20        // of a party
	maxPayload   = 160       // bytes of a contract's payload that people read
	maxJSON      = 16 << 10  // bytes of a contract's payload that programs read
	maxPayloads  = 1 << 20   // bytes of all of them
	maxListed    = 10        // parties of a node
	maxIndent    = 160       // bytes before a node of a tree, about
)

// ends are the first and the last elements of a list that is too long, and how many are left out between them.
func ends[T any](list []T, limit int) (first, last []T, left int) {
	if len(list) <= limit {
		return list, nil, 0
	}
	return list[:limit/2], list[len(list)-(limit-limit/2):], len(list) - limit
}

// row is a line of a report.
func row(out *strings.Builder, indent int, format string, args ...any) {
	line(out, indent, "%s", fault.ShortenTo(maxLine, fmt.Sprintf(format, args...)))
}

// clipped are lines, with one that says how many of them are left out.
func clipped(lines []string, limit int, what string) []string {
	first, last, left := ends(lines, limit)
	if left == 0 {
		return lines
	}
	out := append([]string{}, first...)
	return append(append(out, fmt.Sprintf("… %s left out …", count(left, what))), last...)
}

// someParties lists parties, the first of many.
func someParties(parties []ledger.Party) string {
	if len(parties) <= maxListed {
		return partyList(parties)
	}
	return fmt.Sprintf("%s and %d more", partyList(parties[:maxListed]), len(parties)-maxListed)
}

// shownMessages are the messages of a script that a report shows: the last of many. Each has its first and last lines.
func shownMessages(report script.Report) (messages []script.Message, left int) {
	bytes := 0
	for _, message := range slices.Backward(report.Messages[max(0, len(report.Messages)-maxMessages):]) {
		lines := clipped(strings.Split(fault.ShortenTo(maxText, message.Text), "\n"), maxTextLines, "line")
		message.Text = strings.Join(lines, "\n")
		if bytes += len(message.Text); bytes > maxPrinted {
			break
		}
		messages = append(messages, message)
	}
	slices.Reverse(messages)
	return messages, report.Omitted + len(report.Messages) - len(messages)
}

// payloadText is a contract's payload for people, who need no escapes against pages of HTML.
func payloadText(payload json.RawMessage) string {
	var out strings.Builder
	for text := string(payload); text != "" && out.Len() <= maxPayload; {
		n := 1
		if text[0] == '\\' && len(text) > 1 {
			n = 2 // with what is escaped, which may be a backslash
		}
		if char, ok := htmlEscapes[text[:min(len(text), escapeLength)]]; ok {
			n = escapeLength
			out.WriteByte(char)
		} else {
			out.WriteString(text[:n])
		}
		text = text[n:]
	}
	return fault.ShortenTo(maxPayload, out.String())
}

// htmlEscapes are the escapes that package encoding/json adds for the sake of HTML.
var htmlEscapes = map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}

const escapeLength = len(`\u003c`)

// view is what a party sees.
type view struct {
	party     ledger.Party
	contracts []ledger.Contract
	left      int // contracts that are left out
}

// viewsOf lists what each party sees.
func viewsOf(report script.Report) (views []view, left int) {
	for _, party := range report.Parties[:min(maxViews, len(report.Parties))] {
		one := view{party: party}
		for _, contract := range report.Contracts {
			switch {
			case !contract.IsStakeholder(party):
			case len(one.contracts) == maxContracts:
				one.left++
			default:
				one.contracts = append(one.contracts, contract)
			}
		}
		views = append(views, one)
	}
	return views, len(report.Parties) - len(views)
}
