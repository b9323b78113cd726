package client

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

// PartState is the state of a part of a node.
type PartState string

// The states of parts.
const (
	PartOK PartState = "ok"
	// PartWarns is for a part that has a trouble and does not keep the node from requests.
	PartWarns PartState = "warns"
	// PartFails is for a part without which the node is not ready.
	PartFails PartState = "fails"
	// PartUnknown is for a part that the node could not check.
	PartUnknown PartState = "unknown"
)

// Part is a part of a node in /readyz.
type Part struct {
	Name  string
	State PartState
	// Why is the reason; empty for a part that is well. Alarm is the name of its trouble; empty for none.
	Why, Alarm string
}

// errNoReadiness is for an answer of something that is no node.
var errNoReadiness = errors.New("GET /readyz: this is not the answer of a node")

// Readiness asks a process of a node about its parts. A node that is not ready answers too.
func (c *Client) Readiness(ctx context.Context) ([]Part, error) {
	text, err := c.Text(ctx, "/readyz?verbose")
	if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusServiceUnavailable {
		text, err = string(refused.Body), nil
	}
	if err != nil {
		return nil, err
	}
	parts, known := readiness(text)
	if !known {
		return nil, errNoReadiness
	}
	return parts, nil
}

// alarmName is the name of an alarm at the end of a line.
var alarmName = regexp.MustCompile(` \[(\w+)\]$`)

// readiness reads the lines of /readyz?verbose: "[+] NAME ok", "[!] NAME: WHY [ALARM]", "[-] NAME failed (WHY) [ALARM]"
// and "[?] NAME unknown (WHY)". The line of the whole, which is called ledger, comes
// first; without it, known is false.
func readiness(text string) (parts []Part, known bool) {
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ := strings.Cut(rest, " ")
		name = strings.TrimSuffix(name, ":")
		why, alarm := strings.TrimPrefix(rest, name), ""
		if match := alarmName.FindStringSubmatch(why); match != nil {
			why, alarm = strings.TrimSuffix(why, match[0]), match[1]
		}
		part := Part{Name: name, Alarm: alarm}
		switch {
		case name == "ledger":
			known = true
			continue
		case mark == "[+]":
			part.State = PartOK
		case mark == "[!]":
			part.State, part.Why = PartWarns, strings.TrimPrefix(why, ": ")
		case mark == "[-]":
			part.State, part.Why = PartFails, strings.TrimSuffix(strings.TrimPrefix(why, " failed ("), ")")
		case mark == "[?]":
			part.State, part.Why = PartUnknown, strings.TrimSuffix(strings.TrimPrefix(why, " unknown ("), ")")
		default:
			continue
		}
		if last := len(parts) - 1; last < 0 || parts[last].Name != name {
			parts = append(parts, part)
		} else if part.State == PartFails {
			parts[last] = part
		}
	}
	return parts, known
}
