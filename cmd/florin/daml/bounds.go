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

// These limits keep a report readable. A shortened part says how much it leaves out. Text, JSON and JUnit XML have the
// same limits.
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

// ends returns the first and the last elements of a long list, and the number of those left out between them.
func ends[T any](list []T, limit int) (first, last []T, left int) {
	if len(list) <= limit {
		return list, nil, 0
	}
	return list[:limit/2], list[len(list)-(limit-limit/2):], len(list) - limit
}

func row(out *strings.Builder, indent int, format string, args ...any) {
	line(out, indent, "%s", fault.ShortenTo(maxLine, fmt.Sprintf(format, args...)))
}

// clip shortens a list of lines, and puts a line with the number of the others in the middle.
func clip(lines []string, limit int, what string) []string {
	first, last, left := ends(lines, limit)
	if left == 0 {
		return lines
	}
	out := append([]string{}, first...)
	return append(append(out, fmt.Sprintf("… %s left out …", count(left, what))), last...)
}

func someParties(parties []ledger.Party) string {
	if len(parties) <= maxListed {
		return partyList(parties)
	}
	return fmt.Sprintf("%s and %d more", partyList(parties[:maxListed]), len(parties)-maxListed)
}

// lastMessages are the last messages of a script, each with its first and last lines.
func lastMessages(report script.Report) (messages []script.Message, left int) {
	bytes := 0
	for _, message := range slices.Backward(report.Messages[max(0, len(report.Messages)-maxMessages):]) {
		lines := clip(strings.Split(fault.ShortenTo(maxText, message.Text), "\n"), maxTextLines, "line")
		message.Text = strings.Join(lines, "\n")
		if bytes += len(message.Text); bytes > maxPrinted {
			break
		}
		messages = append(messages, message)
	}
	slices.Reverse(messages)
	return messages, report.Omitted + len(report.Messages) - len(messages)
}

// payloadText is a contract's payload for people, without the escapes for HTML.
func payloadText(payload json.RawMessage) string {
	var out strings.Builder
	for text := string(payload); text != "" && out.Len() <= maxPayload; {
		n := 1
		if text[0] == '\\' && len(text) > 1 {
			n = 2 // the escaped character may be a backslash
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

type view struct {
	party     ledger.Party
	contracts []ledger.Contract
	left      int // number of contracts left out
}

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
