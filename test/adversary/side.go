package adversary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// patience is how long a bystander waits for what should happen at once.
	patience = 20 * time.Second
	// pause is between two looks.
	pause = 15 * time.Millisecond
	// tokenLife is longer than any run.
	tokenLife = 1000 * time.Hour
)

// The bystanders, and others whose names are known.
const (
	alice, bob, dave  = "alice", "bob", "dave" // have wallets; dave's is swept
	carol, carolsUser = "carol", "carol-app"   // an external party and the user that prepares for it
	leaver            = "leaver"               // was offboarded
	revoked           = "revoked"              // lost its rights
	deleted           = "deleted"              // was deleted
	landlord          = "landlord"             // administers the tenant
	tenantRoot        = "tenant-root"          // a participant administrator that belongs to the tenant
)

// side is one of the twins: a node with bystanders on it.
type side struct {
	target Target
	http   *http.Client
	client *client.Client
	admin  *client.Client
	marks  marks

	synchronizer, participant string
	// party is the party of each user, and of each external party.
	party map[string]string
	carol *keyholder
	// facts are what the bystanders were told in this cycle, in order.
	facts []fact
	// worked is how many of them come from what the bystanders do; the others from what they see afterwards.
	worked int
	// tracked are the tracking ids of all offers so far with their statuses.
	tracked []string
	// shared are contracts of this cycle whose ids the adversary is told, prepared a transaction of carol's.
	shared   []contract
	prepared string
	// intruders are the parties of the adversary on this side.
	intruders []string
	// gifts are what the adversary gave to each bystander.
	gifts  map[string]gifts
	issuer *provider
	// seen is the network as the side saw it last.
	seen network
	// now is the ledger's time.
	now time.Time
}

// fact is something that a bystander was told.
type fact struct {
	name, value string
	took        time.Duration
	// detail is what a refusal said, in words that differ between the sides.
	detail string
}

func newSide(target Target, marks marks, issuer *provider) *side {
	client := client.New(target.URL, 64)
	return &side{
		target: target, http: newHTTP(), client: client, admin: client.With(target.token(admin)), marks: marks,
		party: map[string]string{}, gifts: map[string]gifts{}, issuer: issuer,
	}
}

func (s *side) close() {
	s.client.Close()
	s.http.CloseIdleConnections()
}

// as is the client of a user.
func (s *side) as(user string) *client.Client { return s.client.With(s.target.token(user)) }

// note does something for a bystander and writes down what it was told. A refusal is noted as well, without the words
// that name ids.
func (s *side) note(ctx context.Context, name string, do func(context.Context) (string, error)) error {
	began := time.Now()
	value, err := do(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	detail := ""
	if err != nil {
		value, detail = refusedMark+plain(err), cut(err.Error(), 600)
	}
	s.facts = append(s.facts, fact{name, value, time.Since(began), detail})
	return nil
}

// refusedMark begins what a bystander was told when it was refused.
const refusedMark = "refused: "

// plain is an error as it is on both sides.
func plain(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		if refused.Code != "" {
			return fmt.Sprintf("HTTP %d %s", refused.Status, refused.Code)
		}
		return fmt.Sprintf("HTTP %d %s", refused.Status, cut(string(refused.Body), 200))
	}
	return cut(err.Error(), 200)
}

// await looks again and again until what is looked for is there.
func await(ctx context.Context, what string, look func(context.Context) (string, bool, error)) (string, error) {
	deadline := time.Now().Add(patience)
	for {
		value, there, err := look(ctx)
		if err != nil || there {
			return value, err
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("waited %s: %s is %q", patience, what, value)
		}
		if err := wait.For(ctx, pause); err != nil {
			return "", err
		}
	}
}

// keyed sends a change with an Idempotency-Key.
func (s *side) keyed(ctx context.Context, user, key, path string, body, out any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	got, err := send(ctx, s.http, request{
		method: http.MethodPost, url: s.target.URL + path, token: s.target.token(user), body: encoded,
		header: map[string]string{"Idempotency-Key": key},
	})
	if err != nil {
		return err
	}
	if !got.ok() {
		return &client.Error{Status: got.status, Body: got.body, Cause: string(got.body)}
	}
	return json.Unmarshal(got.body, out)
}

// hint is a party without its namespace, which differs between the twins.
func hint(party string) string {
	before, _, _ := strings.Cut(party, "::")
	return before
}

// advance moves the ledger's clock to a time and waits until all that is due by then has happened.
func (s *side) advance(ctx context.Context, to time.Time) error {
	s.now = to
	return s.admin.Post(ctx, "/v0/dev/clock", object{"advance_to": to.Format(time.RFC3339)}, nil)
}

// jump moves the clock at once, and waits until all that is due then has happened.
func (s *side) jump(ctx context.Context, to time.Time) error {
	err := s.admin.Post(ctx, "/v0/dev/clock", object{
		"advance_to": to.Add(-time.Second).Format(time.RFC3339), "jump": true,
	}, nil)
	if err != nil {
		return err
	}
	return s.advance(ctx, to)
}

// look reads the network's contracts anew.
func (s *side) look(ctx context.Context) (err error) {
	s.seen, err = s.network(ctx)
	return err
}
