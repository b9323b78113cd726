//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/plan"
)

// lifeContract is a contract of a life: its payload, and the times of its creation and its archival.
type lifeContract struct {
	// template is Module:Entity.
	template string
	payload  map[string]any
	created  time.Time
	// archived is the zero time while the contract is active.
	archived time.Time
}

// text is a field of the payload.
func (c lifeContract) text(field string) string {
	value, _ := c.payload[field].(string)
	return value
}

// time is a field of the payload with a time.
func (c lifeContract) time(t *testing.T, field string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339Nano, c.text(field))
	require.NoError(t, err, "%s of %s", field, c.template)
	return parsed
}

// contracts reads all contracts, also archived ones, in the order of their creation.
func (l *life) contracts(t *testing.T, databaseURL string) []lifeContract {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, connection.Close(context.WithoutCancel(t.Context()))) }()
	rows, err := connection.Query(t.Context(), `
		SELECT split_part(c.template_id, ':', 2) || ':' || split_part(c.template_id, ':', 3), c.payload::text,
			created.record_time, coalesce(archived.record_time, '0001-01-01T00:00:00Z')
		FROM contracts AS c
		INNER JOIN updates AS created ON created.ledger_offset = c.created_offset
		LEFT JOIN updates AS archived ON archived.ledger_offset = c.archived_offset
		ORDER BY c.created_offset, c.created_node_id`)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c lifeContract, err error) {
		var payload string
		if err := row.Scan(&c.template, &payload, &c.created, &c.archived); err != nil {
			return c, err
		}
		c.created, c.archived = c.created.UTC(), c.archived.UTC()
		return c, json.Unmarshal([]byte(payload), &c.payload)
	})
	require.NoError(t, err)
	return all
}

// outcome is the outcome of a life, without parts that depend on the machine's speed or the kills.
type outcome struct {
	// deadlines are the events at deadlines, with their times after the base.
	deadlines []string
	// balances are the balances of all parties.
	balances map[string]string
	operator string
}

// The entities of the contracts with deadlines.
const (
	preapprovalEntity = "Splice.AmuletRules:TransferPreapproval"
	requestEntity     = "Splice.Wallet.Payment:AppPaymentRequest"
)

// readOutcome reads the outcome of a life, and requires that every deadline was met to the second.
func (l *life) readOutcome(t *testing.T, databaseURL string) outcome {
	t.Helper()
	o := outcome{balances: map[string]string{}, operator: l.plain(l.info.operator)}
	held := map[string]decimal.Decimal{}
	cancelled := map[string]bool{}
	for i, f := range l.size.fates() {
		if f.cancelled > 0 {
			cancelled[l.party(receiver(i))] = true
		}
	}
	renewals := map[string]bool{} // by receiver and old end
	contracts := l.contracts(t, databaseURL)
	for _, c := range contracts {
		if c.template == preapprovalEntity && c.text("lastRenewedAt") != c.text("validFrom") {
			const window = 30 * day
			renewals[c.text("receiver")+c.text("lastRenewedAt")] = true
			o.note(t, l, "renewed", c.text("receiver"), c.time(t, "lastRenewedAt").Add(-window), c.created)
		}
	}
	for _, c := range contracts {
		switch {
		case c.archived.IsZero():
			keep(t, l, c, held)
		case c.template == preapprovalEntity && !renewals[c.text("receiver")+c.text("expiresAt")]:
			if ends := c.time(t, "expiresAt"); !cancelled[c.text("receiver")] || !c.archived.Before(ends) {
				o.noteAfter(t, l, "expired", c.text("receiver"), ends, plan.ExpiryPatience, c.archived)
			}
		case c.template == offerEntity && c.text("receiver") == l.party("guest"):
			o.noteAfter(t, l, "offer expired", c.text("trackingId"), c.time(t, "expiresAt"), plan.ExpiryPatience, c.archived)
		case c.template == requestEntity:
			o.noteAfter(t, l, "request expired", c.text("description"), c.time(t, "expiresAt"), plan.ExpiryPatience, c.archived)
		}
	}
	for owner, amount := range held {
		o.balances[owner] = amount.Show()
	}
	slices.Sort(o.deadlines)
	return o
}

// note records an event and requires that it happened in the second of its deadline, not before.
func (o *outcome) note(t *testing.T, l *life, what, whom string, deadline, happened time.Time) {
	t.Helper()
	o.noteAfter(t, l, what, whom, deadline, 0, happened)
}

// noteAfter stores an event some time after a deadline, to the second.
func (o *outcome) noteAfter(
	t *testing.T, l *life, what, whom string, deadline time.Time, patience time.Duration, happened time.Time,
) {
	t.Helper()
	line := fmt.Sprintf("%s %s: %s", deadline.Sub(l.base).Truncate(time.Second), what, l.plain(whom))
	due := deadline.Add(patience)
	require.Equal(t, due.Truncate(time.Second), happened.Truncate(time.Second), line)
	require.False(t, happened.Before(due), line)
	o.deadlines = append(o.deadlines, line)
}

// keep adds an active holding to its owner's balance.
func keep(t *testing.T, l *life, c lifeContract, held map[string]decimal.Decimal) {
	t.Helper()
	if c.template != "Splice.Amulet:Amulet" {
		return
	}
	var holding struct {
		Owner  string `json:"owner"`
		Amount struct {
			InitialAmount decimal.Decimal `json:"initialAmount"`
		} `json:"amount"`
	}
	encoded, err := json.Marshal(c.payload)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &holding))
	owner := l.plain(holding.Owner)
	held[owner] = add(t, held[owner], holding.Amount.InitialAmount)
}

var (
	contractIDPattern = regexp.MustCompile(`"00[0-9a-f]{60,}"`)
	namespacePattern  = regexp.MustCompile(`::[0-9a-f]{8,}`)
	timePattern       = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
)

// plain is a text that is the same in all lives: without contract ids and namespaces, and with times after the base.
func (l *life) plain(text string) string {
	text = namespacePattern.ReplaceAllString(contractIDPattern.ReplaceAllString(text, `"id"`), "")
	return timePattern.ReplaceAllStringFunc(text, func(quoted string) string {
		at, err := time.Parse(time.RFC3339Nano, strings.Trim(quoted, `"`))
		switch {
		case err != nil:
			return quoted
		case at.Before(l.base): // the creation of the ledger, which differs between nodes
			return `"before"`
		}
		return fmt.Sprintf("%q", at.Sub(l.base))
	})
}
