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
	// patience limits a bystander's wait for something that should happen at once.
	patience = 20 * time.Second
	// pause is the pause between two checks.
	pause = 15 * time.Millisecond
	// tokenLife is longer than any run.
	tokenLife = 1000 * time.Hour
)

// The bystanders, and other users whose names the adversary knows.
const (
	alice, bob, dave  = "alice", "bob", "dave" // have wallets; dave's has a sweep
	carol, carolsUser = "carol", "carol-app"   // an external party and the user that prepares for it
	leaver            = "leaver"               // was offboarded
	revoked           = "revoked"              // lost its rights
	deleted           = "deleted"              // was deleted
	landlord          = "landlord"             // administers the tenant
	tenantRoot        = "tenant-root"          // a participant administrator that belongs to the tenant
)

// side is one of the twins: a node with bystanders.
type side struct {
	target Target
	http   *http.Client
	client *client.Client
	admin  *client.Client
	marks  marks

	synchronizer, participant string
	// party is the party id of each user and each external party.
	party map[string]string
	carol *keyholder
	// facts are the answers that the bystanders got in this cycle, in order.
	facts []fact
	// worked is the number of facts from actions; the others come from the observation afterwards.
	worked int
	// tracked are the tracking ids of all offers until now with their statuses.
	tracked []string
	// shared are contracts whose ids the adversary learns, prepared is a transaction of carol.
	shared   []contract
	prepared string
	// intruders are the parties of the adversary on this side.
	intruders []string
	// gifts are the adversary's transfers to each bystander.
	gifts  map[string]gifts
	issuer *provider
	// seen is the network at the last look.
	seen network
	// now is the ledger's time.
	now time.Time
}

// fact is an answer that a bystander got.
type fact struct {
	name, value string
	took        time.Duration
	// detail is the text of a refusal, which differs between the sides.
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

func (s *side) as(user string) *client.Client { return s.client.With(s.target.token(user)) }

// note acts for a bystander and stores the answer as a fact. It stores a refusal without its text, which names ids.
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

// refusedMark begins the fact of a refusal.
const refusedMark = "refused: "

// plain is the part of an error that is the same on both sides.
func plain(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		if refused.Code != "" {
			return fmt.Sprintf("HTTP %d %s", refused.Status, refused.Code)
		}
		return fmt.Sprintf("HTTP %d %s", refused.Status, cut(string(refused.Body), 200))
	}
	return cut(err.Error(), 200)
}

// await calls look until it returns true.
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

// hint is a party id without its namespace, which differs between the twins.
func hint(party string) string {
	before, _, _ := strings.Cut(party, "::")
	return before
}

// advance moves the ledger's clock to a time, and stops at each deadline on the way.
func (s *side) advance(ctx context.Context, to time.Time) error {
	s.now = to
	return s.admin.Post(ctx, "/v0/dev/clock", object{"advance_to": to.Format(time.RFC3339)}, nil)
}

// jump moves the clock at once, and waits until everything due has happened.
func (s *side) jump(ctx context.Context, to time.Time) error {
	err := s.admin.Post(ctx, "/v0/dev/clock", object{
		"advance_to": to.Add(-time.Second).Format(time.RFC3339), "jump": true,
	}, nil)
	if err != nil {
		return err
	}
	return s.advance(ctx, to)
}

// look reads the network's contracts again.
func (s *side) look(ctx context.Context) (err error) {
	s.seen, err = s.network(ctx)
	return err
}
