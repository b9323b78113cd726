package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Node is the JSON API of a node.
type Node interface {
	// Call sends a request with in as JSON, and reads the JSON of the answer into out. Both may be nil. A refusal of
	// the node is a [*fault.Fault].
	Call(ctx context.Context, method, path string, in, out any) error
	// Wait lets real time pass.
	Wait(ctx context.Context, d time.Duration) error
}

// Methods of requests.
const (
	get    = "GET"
	post   = "POST"
	remove = "DELETE"
	patch  = "PATCH"
)

// remote is the ledger of a node. Its parties, users and contracts stay after the run.
type remote struct {
	node Node
	// speaker is the run's user. It gets the right to act as the run's parties.
	speaker string
	// parties are existing parties, by the names that the script allocates.
	parties      map[string]ledger.Party
	used         []ledger.Party
	transactions []Transaction
}

// call asks the node.
func (l *remote) call(q *question, method, path string, in, out any) error {
	return l.node.Call(q.ctx, method, path, in, out)
}

// has reports whether an error is a fault with a code.
func has(err error, code fault.Code) bool {
	refusal, ok := fault.As(err)
	return ok && refusal.Code == code.ID
}

// allocate uses the existing party of Options.Parties, or makes one. A name that exists gets a suffix, as upstream,
// unless it must be exact.
func (l *remote) allocate(q *question, name string, exactly bool) (ledger.Party, error) {
	if party, ok := l.parties[name]; ok {
		l.take(party)
		return party, nil
	}
	if name == "" {
		name = "party"
	}
	party, err := l.allocateHint(q, name)
	if !exactly && isTaken(err) {
		seed := q.draw()
		party, err = l.allocateHint(q, fmt.Sprintf("%s-%x", name, seed[:4]))
	}
	if refusal, ok := fault.As(err); ok && isTaken(err) {
		return "", refusal.WithHint("Use the existing party: --party " + name + ", or run the script on a new ledger.")
	}
	if err != nil {
		return "", err
	}
	l.take(party)
	return party, nil
}

// isTaken reports whether the node refused a party because its name exists.
func isTaken(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Party already exists")
}

func (l *remote) allocateHint(q *question, hint string) (ledger.Party, error) {
	var out struct {
		PartyDetails struct {
			Party ledger.Party `json:"party"`
		} `json:"partyDetails"`
	}
	err := l.call(q, post, "/v2/parties", map[string]string{"partyIdHint": hint, "userId": l.speaker}, &out)
	return out.PartyDetails.Party, err
}

// take records that the script uses a party.
func (l *remote) take(party ledger.Party) {
	if !slices.Contains(l.used, party) {
		l.used = append(l.used, party)
	}
}

func (l *remote) knownParties(q *question) ([]knownParty, error) {
	var out []knownParty
	err := pages(q, l, get, "/v2/parties", nil, func(page struct {
		PartyDetails []struct {
			Party   ledger.Party `json:"party"`
			IsLocal bool         `json:"isLocal"`
		} `json:"partyDetails"`
	},
	) {
		for _, details := range page.PartyDetails {
			out = append(out, knownParty{details.Party, details.IsLocal})
		}
	})
	return out, err
}

// pages reads a list page by page.
func pages[T any](q *question, l *remote, method, path string, in map[string]any, each func(T)) error {
	token := ""
	for {
		var raw json.RawMessage
		at, body := path, any(nil)
		if method == get && token != "" {
			at += "?pageToken=" + url.QueryEscape(token)
		}
		if method == post {
			in["pageToken"] = token
			body = in
		}
		if err := l.call(q, method, at, body, &raw); err != nil {
			return err
		}
		var page T
		var next struct {
			NextPageToken string `json:"nextPageToken"`
		}
		if err := errors.Join(json.Unmarshal(raw, &page), json.Unmarshal(raw, &next)); err != nil {
			return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
		}
		each(page)
		if token = next.NextPageToken; token == "" {
			return nil
		}
	}
}

// clock is the ledger's clock.
type clock struct {
	Clock      string    `json:"clock"`
	LedgerTime time.Time `json:"ledger_time"`
}

const clockPath = "/v0/dev/clock"

func (l *remote) clock(q *question) (out clock, err error) {
	err = l.call(q, get, clockPath, nil, &out)
	return out, err
}

func (l *remote) time(q *question) (time.Time, error) {
	now, err := l.clock(q)
	return now.LedgerTime, err
}

// setTime advances the clock of the ledger if it is static.
func (l *remote) setTime(q *question, to time.Time) error {
	now, err := l.clock(q)
	switch {
	case err != nil:
		return err
	case to.Equal(now.LedgerTime):
		return nil
	case now.Clock == "real":
		return q.endRun(fault.InvalidArgumentf("setTime cannot set the time to %s: the ledger uses the clock of its machine",
			to.Format(time.RFC3339Nano)).WithHint("Start the node with `florin up --clock static` on a new data directory."))
	case to.Before(now.LedgerTime):
		return q.endRun(fault.InvalidArgumentf("the ledger's time is %s, and setTime cannot set it back to %s",
			now.LedgerTime.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)).
			WithHint("Use getTime and passTime, or start a new ledger."))
	}
	return l.call(q, post, clockPath, map[string]any{"advance_to": to.UTC().Format(time.RFC3339Nano), "jump": true}, nil)
}

// sleep lets the ledger's time pass: it advances a static clock.
func (l *remote) sleep(q *question, d time.Duration) error {
	now, err := l.clock(q)
	if err != nil || d <= 0 {
		return err
	}
	if now.Clock == "static" {
		return l.setTime(q, now.LedgerTime.Add(d))
	}
	return l.node.Wait(q.ctx, d)
}

func (l *remote) vet(q *question, ids []lf.PackageID, allowed bool) error {
	var packages []map[string]any
	for _, id := range ids {
		packages = append(packages, map[string]any{"packageId": id})
	}
	operation := "Vet"
	if !allowed {
		operation = "Unvet"
	}
	return l.call(q, post, "/v2/package-vetting/update", map[string]any{"changes": []any{
		map[string]any{"operation": map[string]any{operation: map[string]any{
			"value": map[string]any{"packages": packages},
		}}},
	}}, nil)
}

func (l *remote) releases(q *question, vetted bool) ([]release, error) {
	if !vetted {
		return nil, q.endRun(fault.InvalidArgumentf("a node lists vetted packages only, and the script asks for all (%s)", q.name).
			WithHint("Use listVettedPackages."))
	}
	var out []release
	err := pages(q, l, post, "/v2/package-vetting/list", map[string]any{}, func(page struct {
		VettedPackages []struct {
			Packages []struct {
				Name    string `json:"packageName"`
				Version string `json:"packageVersion"`
			} `json:"packages"`
		} `json:"vettedPackages"`
	},
	) {
		for _, vetted := range page.VettedPackages {
			for _, p := range vetted.Packages {
				out = append(out, release{p.Name, p.Version})
			}
		}
	})
	return out, err
}

func (l *remote) report(out *Report) { out.Transactions, out.Parties = l.transactions, l.used }

// decode reads JSON of the API as a value of a type of the script's packages.
func (q *question) decode(t ast.Type, encoded json.RawMessage) (engine.Value, error) {
	v, err := q.suite.program.DecodeAs(t, encoded)
	if err != nil {
		return nil, q.endRun(fmt.Errorf("the script's packages cannot read a value of the ledger: %w", err))
	}
	return v, nil
}
