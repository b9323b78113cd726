package db

import (
	"context"
	"encoding/json"
	"fmt"
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
	// StartedAt is when the first contribution came.
	StartedAt time.Time
}

// PartyKeys finds the keys of external parties and how many of them must sign. Parties that are none of this node's
// external ones are absent.
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

// ExternalParty finds an external party; false for parties that are not or not yet onboarded as such.
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
	return PendingOnboarding{onboarding, row.IdentityProviderID, row.StartedAt}, err == nil, err
}

// WithdrawOnboarding forgets an onboarding that waits, and tells whether there was one.
func (d *DB) WithdrawOnboarding(ctx context.Context, party ledger.Party) (bool, error) {
	deleted, err := d.queries.DeleteOnboarding(ctx, party)
	return deleted > 0, failed("withdrawing an onboarding", err)
}

// PartyStanding is how far a party has come before a contribution to its onboarding.
type PartyStanding struct {
	// Allocated is the party as it is known here; nil when it is not.
	Allocated *ledger.PartyDetails
	// CompletedBy names the contribution that completed the onboarding of an external party; "" for all others.
	CompletedBy string
	// Pending is the onboarding that waits; nil when there is none.
	Pending *PendingOnboarding
}

// OnboardingStep is where a contribution brings an onboarding.
type OnboardingStep struct {
	Onboarding         topology.Onboarding
	IdentityProviderID string
	// Entry makes the topology transaction for its place in the record, when all have agreed; nil before.
	Entry func(ledger.Position) ledger.Update
}

// OnboardingContribution says what contributes to the onboarding of a party.
type OnboardingContribution struct {
	ID    string
	Party ledger.Party
	// GrantTo is the user who gets the right to act as the party, whether or not it exists already; "" for nobody.
	GrantTo string
	// Now is the node's time.
	Now time.Time
	// Decide says where the contribution brings the onboarding, nil for nowhere. Its error ends everything.
	Decide func(PartyStanding) (*OnboardingStep, error)
}

// ContributeToOnboarding brings the onboarding of an external party one step on: what there is of it is stored, or,
// when all have agreed, the party is allocated with its keys and hosts and enters the record. All of that happens or
// nothing. Others who contribute to it, or allocate parties, wait meanwhile. Faults: USER_NOT_FOUND,
// TOO_MANY_USER_RIGHTS, and those of Decide.
func (d *DB) ContributeToOnboarding(ctx context.Context, c OnboardingContribution) error {
	if c.GrantTo == "" {
		return d.InTx(ctx, func(tx *Tx) error { return tx.contribute(ctx, c) })
	}
	return d.changeUser(ctx, c.GrantTo, func(tx *Tx) error {
		if _, err := tx.lockUser(ctx, "checking user's existence", c.GrantTo); err != nil {
			return err
		}
		if err := tx.contribute(ctx, c); err != nil {
			return err
		}
		_, err := tx.grant(ctx, c.GrantTo, []ledger.Right{{Kind: ledger.CanActAs, Party: c.Party}})
		return err
	})
}

func (t *Tx) contribute(ctx context.Context, c OnboardingContribution) error {
	head, err := t.LockHead(ctx)
	if err != nil {
		return err
	}
	standing, err := t.standing(ctx, c.Party)
	if err != nil {
		return err
	}
	step, err := c.Decide(standing)
	if err != nil || step == nil {
		return err
	}
	if step.Entry == nil {
		return t.storeOnboarding(ctx, c, *step)
	}
	if err := t.insertExternalParty(ctx, c, *step); err != nil {
		return err
	}
	head = head.Next(c.Now)
	update := step.Entry(ledger.Position{Offset: head.Offset, RecordTime: head.RecordTime})
	return t.Append(ctx, Entries{Updates: []ledger.Update{update}, Head: head})
}

func (t *Tx) standing(ctx context.Context, party ledger.Party) (PartyStanding, error) {
	var standing PartyStanding
	known, err := t.Parties(ctx, []ledger.Party{party})
	if err != nil {
		return standing, err
	}
	if len(known) > 0 {
		standing.Allocated = &known[0]
		external, _, err := t.ExternalParty(ctx, party)
		standing.CompletedBy = external.ContributionID
		return standing, err
	}
	pending, waits, err := t.PendingOnboarding(ctx, party)
	if waits {
		standing.Pending = &pending
	}
	return standing, err
}

func (t *Tx) storeOnboarding(ctx context.Context, c OnboardingContribution, step OnboardingStep) error {
	onboarding, err := toDBJSON(step.Onboarding)
	if err != nil {
		return failed("writing an onboarding", err)
	}
	return failed("storing an onboarding", t.queries.UpsertOnboarding(ctx, dbgen.UpsertOnboardingParams{
		Party: c.Party, Onboarding: []byte(onboarding), IdentityProviderID: step.IdentityProviderID, StartedAt: c.Now,
	}))
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
