package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/topology"
)

// ExternalParty is a party whose keys are outside the node, as it was onboarded.
type ExternalParty struct {
	Party ledger.Party
	prepared.PartyKeys
	Hosts []topology.Host
	// ConfirmationThreshold is how many confirming hosts must agree to what the party does.
	ConfirmationThreshold int
	// Onboarding are the transactions that made the party, byte for byte, with the signatures of all who agreed.
	Onboarding topology.Onboarding
	// ContributionID names the contribution that completed the onboarding.
	ContributionID string
}

// PendingOnboarding is an external party in the making: someone has yet to agree.
type PendingOnboarding struct {
	Onboarding topology.Onboarding
	// IdentityProviderID is the one that the party will belong to.
	IdentityProviderID string
	// UserIDs are the users of that provider who get the right to act as the party when it is allocated.
	UserIDs []string
	// StartedAt is when the first contribution came.
	StartedAt time.Time
	// ExpiresAt is when the node forgets it, in real time.
	ExpiresAt time.Time
}

// PartyKeys finds the keys of this node's external parties, and how many of them must sign.
func (r Reader) PartyKeys(
	ctx context.Context, parties []ledger.Party,
) (map[ledger.Party]prepared.PartyKeys, error) {
	rows, err := r.queries.ListSigningKeys(ctx, ledger.Strings(parties))
	if err != nil {
		return nil, failed("reading the keys of parties", err)
	}
	keys := make(map[ledger.Party]prepared.PartyKeys, len(rows))
	for _, row := range rows {
		if keys[row.Party], err = fromDBPartyKeys(row.Party, row.SigningKeys, row.SigningThreshold); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// ExternalParty finds an external party; false for a party that is not external, or not yet onboarded.
func (r Reader) ExternalParty(ctx context.Context, party ledger.Party) (ExternalParty, bool, error) {
	row, err := r.queries.GetExternalParty(ctx, party)
	if isNoRows(err) {
		return ExternalParty{}, false, nil
	}
	if err != nil {
		return ExternalParty{}, false, failed("reading an external party", err)
	}
	out := ExternalParty{
		Party: party, ConfirmationThreshold: int(row.ConfirmationThreshold), ContributionID: row.ContributionID,
	}
	if out.PartyKeys, err = fromDBPartyKeys(party, row.SigningKeys, row.SigningThreshold); err != nil {
		return ExternalParty{}, false, err
	}
	if err := json.Unmarshal(row.Hosts, &out.Hosts); err != nil {
		return ExternalParty{}, false, unreadable(fmt.Errorf("reading the hosts of %s: %w", party, err))
	}
	out.Onboarding, err = fromDBOnboarding(party, row.Onboarding)
	return out, err == nil, err
}

// PendingOnboarding finds the onboarding of a party that waits for someone to agree; false when there is none.
func (r Reader) PendingOnboarding(ctx context.Context, party ledger.Party) (PendingOnboarding, bool, error) {
	row, err := r.queries.GetOnboarding(ctx, party)
	if isNoRows(err) {
		return PendingOnboarding{}, false, nil
	}
	if err != nil {
		return PendingOnboarding{}, false, failed("reading an onboarding", err)
	}
	onboarding, err := fromDBOnboarding(party, row.Onboarding)
	return PendingOnboarding{
		Onboarding: onboarding, IdentityProviderID: row.IdentityProviderID, UserIDs: row.UserIds,
		StartedAt: row.StartedAt, ExpiresAt: row.ExpiresAt,
	}, err == nil, err
}

// WithdrawOnboarding forgets an onboarding that waits, and reports whether there was one.
func (d *DB) WithdrawOnboarding(ctx context.Context, party ledger.Party) (bool, error) {
	deleted, err := d.queries.DeleteOnboarding(ctx, party)
	return deleted > 0, failed("withdrawing an onboarding", err)
}

// ExpireOnboarding deletes the onboarding of a party if its time is over. If the onboarding still waits, the result is
// the time at which it expires; false if none waits.
func (d *DB) ExpireOnboarding(ctx context.Context, party ledger.Party) (time.Time, bool, error) {
	if _, err := d.queries.DeleteExpiredOnboarding(ctx, party); err != nil {
		return time.Time{}, false, failed("ending an onboarding", err)
	}
	pending, waits, err := d.PendingOnboarding(ctx, party)
	return pending.ExpiresAt, waits, err
}

// PartyStanding is the state of a party before a contribution to its onboarding.
type PartyStanding struct {
	// Allocated is the party if this node knows it; else nil.
	Allocated *ledger.PartyDetails
	// External is set if the party is allocated and external; else nil.
	External *ExternalParty
	// Pending is the onboarding that waits; nil when there is none.
	Pending *PendingOnboarding
	// Namespaces are those of the requested namespaces that the node has stored.
	Namespaces topology.Namespaces
}

// OnboardingStep is the state of an onboarding after a contribution.
type OnboardingStep struct {
	Onboarding         topology.Onboarding
	IdentityProviderID string
	// UserIDs are the users of that provider who get the right to act as the party, in the transaction that allocates it.
	UserIDs []string
	// Begins: this is the first step. An onboarding that waited before, if any, is not the owner's or has expired.
	Begins bool
	// Entry makes the topology transaction for its position in the record; nil until all have agreed.
	Entry func(ledger.Position) ledger.Update
}

// OnboardingContribution is a contribution to the onboarding of a party.
type OnboardingContribution struct {
	ID    string
	Party ledger.Party
	// Namespaces are those that Decide needs to know of.
	Namespaces []string
	// Grant is for the user that the contribution names: if the step has this user, the user must be able to get the
	// right. Other users of the step get their right if they can.
	Grant Grant
	// Now is the node's time.
	Now time.Time
	// Wait is how long a new onboarding waits.
	Wait time.Duration
	// Decide returns the next step, nil for none. Its error ends everything. It runs once without a lock, so that nobody
	// waits for its expensive part, and again under the lock.
	Decide func(PartyStanding) (*OnboardingStep, error)
	// Waits gets the time until which the onboarding waits, if it does.
	Waits func(until time.Time)
}

// ContributeToOnboarding takes the onboarding of an external party one step further. It stores the onboarding or, when
// all have agreed, allocates the party with its keys, hosts, namespaces and the rights of its users, and enters it in
// the record: all of that or nothing. Others who contribute to it, or allocate parties, wait meanwhile, but not for a
// contribution that is refused or changes nothing. Faults: USER_NOT_FOUND, TOO_MANY_USER_RIGHTS, PERMISSION_DENIED for
// a user beyond its quota, and those of Decide.
func (d *DB) ContributeToOnboarding(ctx context.Context, c OnboardingContribution) error {
	if step, err := d.nextStep(ctx, c); err != nil || step == nil {
		return err
	}
	var changed []string
	err := d.InTx(ctx, func(tx *Tx) error {
		var err error
		changed, err = tx.contribute(ctx, c)
		return err
	})
	if err == nil {
		for _, user := range changed {
			d.userChanged(user)
		}
	}
	return err
}

// nextStep calls Decide without a lock. The transaction calls it again under the lock.
func (r Reader) nextStep(ctx context.Context, c OnboardingContribution) (*OnboardingStep, error) {
	standing, err := r.PartyStanding(ctx, c.Party, c.Namespaces...)
	if err != nil {
		return nil, err
	}
	step, err := c.Decide(standing)
	if err != nil || step == nil || !slices.Contains(step.UserIDs, c.Grant.UserID) {
		return step, err
	}
	return step, r.couldGet(ctx, c.Grant, c.Party, step.IdentityProviderID)
}

// contribute returns the users whose rights have changed.
func (t *Tx) contribute(ctx context.Context, c OnboardingContribution) ([]string, error) {
	head, err := t.LockHead(ctx)
	if err != nil {
		return nil, err
	}
	standing, err := t.PartyStanding(ctx, c.Party, c.Namespaces...)
	if err != nil {
		return nil, err
	}
	step, err := c.Decide(standing)
	if err != nil || step == nil {
		return nil, err
	}
	if step.Entry == nil {
		return nil, t.storeOnboarding(ctx, c, *step)
	}
	if err := t.insertExternalParty(ctx, c, *step); err != nil {
		return nil, err
	}
	changed, err := t.grantAll(ctx, c, *step)
	if err != nil {
		return nil, err
	}
	head = head.Next(c.Now)
	update := step.Entry(ledger.Position{Offset: head.Offset, RecordTime: head.RecordTime})
	return changed, t.Append(ctx, Entries{Updates: []ledger.Update{update}, Head: head})
}

// grantAll gives the users of a party that is allocated the right to act as it.
func (t *Tx) grantAll(ctx context.Context, c OnboardingContribution, step OnboardingStep) ([]string, error) {
	var changed []string
	for _, user := range slices.Sorted(slices.Values(step.UserIDs)) {
		grant := Grant{UserID: user, MayMiss: true}
		if user == c.Grant.UserID {
			grant = c.Grant
		}
		granted, err := t.grantParty(ctx, grant, c.Party, step.IdentityProviderID)
		if err != nil {
			return nil, err
		}
		if granted {
			changed = append(changed, user)
		}
	}
	return changed, nil
}

// Standing is the state of the party that a contribution is merged with.
func (s PartyStanding) Standing() topology.Standing {
	standing := topology.Standing{Namespaces: s.Namespaces}
	switch {
	case s.Allocated != nil:
		standing.Exists, standing.IdentityProviderID = true, s.Allocated.IdentityProviderID
	case s.Pending != nil:
		standing.Pending, standing.UserIDs = &s.Pending.Onboarding, s.Pending.UserIDs
		standing.IdentityProviderID = s.Pending.IdentityProviderID
	}
	return standing
}

// PartyStanding reads the state of a party, and the node's stored state of the namespaces.
func (r Reader) PartyStanding(
	ctx context.Context, party ledger.Party, namespaces ...string,
) (standing PartyStanding, err error) {
	if len(namespaces) > 0 {
		if standing.Namespaces, err = r.Namespaces(ctx, namespaces...); err != nil {
			return standing, err
		}
	}
	known, err := r.Parties(ctx, []ledger.Party{party})
	if err != nil {
		return standing, err
	}
	if len(known) > 0 {
		standing.Allocated = &known[0]
		if external, ok, err := r.ExternalParty(ctx, party); err != nil || ok {
			standing.External = &external
			return standing, err
		}
		return standing, nil
	}
	pending, waits, err := r.PendingOnboarding(ctx, party)
	if waits {
		standing.Pending = &pending
	}
	return standing, err
}

func (t *Tx) storeOnboarding(ctx context.Context, c OnboardingContribution, step OnboardingStep) error {
	if !c.Grant.MayMiss && slices.Contains(step.UserIDs, c.Grant.UserID) {
		if err := t.mayGet(ctx, c.Grant, c.Party, step.IdentityProviderID); err != nil {
			return err
		}
	}
	onboarding, err := toDBJSON(step.Onboarding)
	if err != nil {
		return failed("writing an onboarding", err)
	}
	users := append([]string{}, step.UserIDs...) // no users are [], not null
	var until time.Time
	if step.Begins {
		until, err = t.queries.InsertOnboarding(ctx, dbgen.InsertOnboardingParams{
			Party: c.Party, Onboarding: []byte(onboarding), IdentityProviderID: step.IdentityProviderID, UserIds: users,
			StartedAt: c.Now, WaitSeconds: c.Wait.Seconds(),
		})
	} else {
		until, err = t.queries.UpdateOnboarding(ctx, dbgen.UpdateOnboardingParams{
			Party: c.Party, Onboarding: []byte(onboarding), UserIds: users,
		})
	}
	if err == nil && c.Waits != nil {
		c.Waits(until)
	}
	return failed("storing an onboarding", err)
}

func (t *Tx) insertExternalParty(ctx context.Context, c OnboardingContribution, step OnboardingStep) error {
	err := t.insertParty(ctx, ledger.PartyDetails{
		Party: c.Party, IsLocal: true, IdentityProviderID: step.IdentityProviderID,
	})
	if err != nil {
		return err
	}
	row, err := toDBExternalParty(c, step.Onboarding)
	if err != nil {
		return failed("writing an external party", err)
	}
	if err := t.queries.InsertExternalParty(ctx, row); err != nil {
		return failed("storing an external party", err)
	}
	if err := t.keepNamespaces(ctx, c.Party, step.Onboarding.Namespaces()); err != nil {
		return err
	}
	_, err = t.queries.DeleteOnboarding(ctx, c.Party)
	return failed("completing an onboarding", err)
}

func toDBExternalParty(
	c OnboardingContribution, onboarding topology.Onboarding,
) (dbgen.InsertExternalPartyParams, error) {
	keys, threshold := onboarding.Keys()
	row := dbgen.InsertExternalPartyParams{
		Party: c.Party, SigningThreshold: int32(threshold), ContributionID: c.ID,
		ConfirmationThreshold: int32(onboarding.ConfirmationThreshold()),
	}
	for into, value := range map[*[]byte]any{
		&row.SigningKeys: keys, &row.Hosts: onboarding.Hosts(), &row.Onboarding: onboarding,
	} {
		text, err := toDBJSON(value)
		if err != nil {
			return row, err
		}
		*into = []byte(text)
	}
	return row, nil
}

func fromDBPartyKeys(party ledger.Party, keys []byte, threshold int32) (prepared.PartyKeys, error) {
	out := prepared.PartyKeys{Threshold: int(threshold)}
	if err := json.Unmarshal(keys, &out.Keys); err != nil {
		return out, unreadable(fmt.Errorf("reading the keys of %s: %w", party, err))
	}
	return out, nil
}

func fromDBOnboarding(party ledger.Party, content []byte) (topology.Onboarding, error) {
	var out topology.Onboarding
	if err := json.Unmarshal(content, &out); err != nil {
		return out, unreadable(fmt.Errorf("reading the onboarding of %s: %w", party, err))
	}
	return out, nil
}
