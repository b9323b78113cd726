package adversary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// observe stores the state of the bystanders and of the network after a cycle.
func (s *side) observe(ctx context.Context) error {
	if err := s.note(ctx, "/readyz", func(ctx context.Context) (string, error) {
		return "ready", s.client.Get(ctx, "/readyz", nil)
	}); err != nil {
		return err
	}
	for _, user := range []string{alice, bob, dave} {
		if err := s.observeWallet(ctx, user); err != nil {
			return err
		}
	}
	for _, look := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{"statuses of earlier requests", s.statuses},
		{"the scan's summary of the bystanders", s.summary},
		{"rounds", s.rounds},
		{"rounds that wait for their end", s.closedRounds},
		{"the operator's standing", s.operatorStanding},
		{"automation's troubles with bystanders and the network", s.troubles},
		{"users of others and their rights", s.users},
	} {
		if err := s.note(ctx, look.name, look.do); err != nil {
			return err
		}
	}
	return nil
}

func (s *side) observeWallet(ctx context.Context, user string) error {
	client := s.as(user)
	return errors.Join(
		s.note(ctx, user+"'s balance", func(ctx context.Context) (string, error) {
			var balance struct {
				Unlocked string `json:"effective_unlocked_qty"`
				Locked   string `json:"effective_locked_qty"`
			}
			if err := client.Get(ctx, "/v0/wallet/balance", &balance); err != nil {
				return "", err
			}
			if err := s.readGifts(ctx, user); err != nil {
				return "", err
			}
			unlocked, err := sum(balance.Unlocked).Sub(s.gifts[user].total)
			return unlocked.String() + " and locked " + balance.Locked, err
		}),
		s.note(ctx, user+"'s lists", func(ctx context.Context) (string, error) {
			var counts []string
			for _, list := range []string{
				"transfer-offers", "accepted-transfer-offers", "token-standard/transfers", "app-payment-requests", "subscriptions",
				"app-reward-coupons", "validator-reward-coupons", "minting-delegations",
			} {
				var body map[string]json.RawMessage
				if err := client.Get(ctx, "/v0/wallet/"+list, &body); err != nil {
					return "", err
				}
				counts = append(counts, fmt.Sprintf("%s %d", list, s.mine(body)))
			}
			return strings.Join(counts, ", "), nil
		}),
	)
}

// gifts is the total of the adversary's transfers to a bystander with a preapproval.
type gifts struct {
	total decimal.Decimal
	// read is the last event that was read from the history.
	read string
}

// readGifts adds the adversary's transfers in a wallet's history.
func (s *side) readGifts(ctx context.Context, user string) error {
	type change struct{ Party, Amount string }
	var page struct {
		Items []struct {
			EventID   string `json:"event_id"`
			Sender    *change
			Receivers []change
		}
	}
	if err := s.as(user).Post(ctx, "/v0/wallet/transactions", object{"page_size": 1000}, &page); err != nil {
		return err
	}
	known := s.gifts[user]
	for _, item := range page.Items {
		if item.EventID == known.read {
			break
		}
		if item.Sender == nil || !slices.Contains(s.intruders, item.Sender.Party) {
			continue
		}
		for _, receiver := range item.Receivers {
			if receiver.Party == s.party[user] {
				known.total = sum(known.total.String(), receiver.Amount)
			}
		}
	}
	if len(page.Items) > 0 {
		known.read = page.Items[0].EventID
	}
	s.gifts[user] = known
	return nil
}

// mine counts the contracts that name no party of the adversary, because the adversary may make offers.
func (s *side) mine(lists map[string]json.RawMessage) (count int) {
	for _, raw := range lists {
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil {
			continue
		}
		for _, element := range elements {
			if !s.namesIntruder(string(element)) {
				count++
			}
		}
	}
	return count
}

func (s *side) namesIntruder(text string) bool {
	return slices.ContainsFunc(s.intruders, func(party string) bool { return strings.Contains(text, party) })
}

// statuses reads the statuses of earlier requests again: a final status must not change.
func (s *side) statuses(ctx context.Context) (string, error) {
	const recent = 8
	var statuses []string
	for _, id := range s.tracked[max(0, len(s.tracked)-recent):] {
		status, err := s.statusNow(ctx, offersPath, id)
		if err != nil {
			status = plain(err)
		}
		statuses = append(statuses, id+" "+status)
	}
	return strings.Join(statuses, ", "), nil
}

func (s *side) summary(ctx context.Context) (string, error) {
	var owners []string
	for _, name := range []string{alice, bob, dave, carol, leaver, revoked, deleted} {
		owners = append(owners, s.party[name])
	}
	var answer struct {
		Summaries []struct {
			Party string `json:"party_id"`
			Total string `json:"total_coin_holdings"`
		}
	}
	err := s.client.Post(ctx, "/api/scan/v0/holdings/summary", object{
		"owner_party_ids": owners, "migration_id": 0, "as_of_round": 0, "record_time": s.now,
	}, &answer)
	var totals []string
	for _, one := range answer.Summaries {
		total, err := sum(one.Total).Sub(s.gifts[hint(one.Party)].total)
		if err != nil {
			return "", err
		}
		totals = append(totals, hint(one.Party)+" "+total.String())
	}
	slices.Sort(totals)
	return strings.Join(totals, ", "), err
}

func (s *side) rounds(ctx context.Context) (string, error) {
	if err := s.look(ctx); err != nil {
		return "", err
	}
	open, issuing := s.seen.roundFacts()
	return "open: " + open + "; issuing: " + issuing, nil
}

// closedRounds counts the summarizing rounds, and the closed rounds with contracts left.
func (s *side) closedRounds(ctx context.Context) (string, error) {
	const module = "#splice-amulet:Splice.Round:"
	found, err := s.signedByDSO(ctx, module+"SummarizingMiningRound", module+"ClosedMiningRound")
	var names []string
	for _, one := range found {
		var payload struct{ Round struct{ Number string } }
		if err := json.Unmarshal(one.CreateArgument, &payload); err != nil {
			return "", err
		}
		names = append(names, entity(one.TemplateID)+" "+payload.Round.Number)
	}
	slices.Sort(names)
	return strings.Join(names, ", "), err
}

func (s *side) operatorStanding(ctx context.Context) (string, error) {
	var validator struct{ Featured bool }
	err := s.client.Get(ctx, "/v0/validator-user", &validator)
	preapproval := "preapproved"
	if err := s.client.Get(ctx, "/api/scan/v0/transfer-preapprovals/by-party/"+s.party[bob], nil); err != nil {
		preapproval = plain(err)
	}
	counter := "no counter"
	if err := s.client.Get(ctx, "/api/scan/v0/transfer-command-counter/"+s.party[carol], nil); err == nil {
		counter = "a counter"
	}
	return fmt.Sprintf("operator featured: %t, bob %s, carol has %s", validator.Featured, preapproval, counter), err
}

// troubles are automation's troubles with other wallets and the network. It leaves out single contracts: the adversary
// may create useless contracts, and statuses show the contracts of others.
func (s *side) troubles(ctx context.Context) (string, error) {
	var answer struct {
		Automations []struct {
			Kind     string
			Troubles []struct{ Subject, Refusal string }
		}
	}
	err := s.admin.Get(ctx, "/v0/admin/automation", &answer)
	var found []string
	for _, automation := range answer.Automations {
		for _, trouble := range automation.Troubles {
			if !s.namesIntruder(trouble.Subject) && !contractPattern.MatchString(trouble.Subject) {
				found = append(found, automation.Kind+" of "+hint(trouble.Subject)+": "+trouble.Refusal)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", "), err
}

type listedUser struct {
	ID         string `json:"id"`
	Provider   string `json:"identityProviderId"`
	IsInactive bool   `json:"isDeactivated"`
	Primary    string `json:"primaryParty"`
}

func (s *side) listUsers(ctx context.Context) (all []listedUser, err error) {
	page := ""
	for {
		var answer struct {
			Users []listedUser
			Next  string `json:"nextPageToken"`
		}
		if err := s.admin.Get(ctx, "/v2/users?pageSize=1000&pageToken="+page, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer.Users...)
		if page = answer.Next; page == "" {
			return all, nil
		}
	}
}

// users are the users of others with their rights, without rights for parties of the adversary.
func (s *side) users(ctx context.Context) (string, error) {
	all, err := s.listUsers(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, user := range all {
		rights, err := s.rightsOf(ctx, user)
		if err != nil {
			return "", err
		}
		intruder := s.isIntruder(user)
		if intruder && rights == "" {
			continue
		}
		state := ""
		if !intruder {
			state = fmt.Sprintf(" (inactive: %t, primary party %s)", user.IsInactive, hint(user.Primary))
		}
		lines = append(lines, fmt.Sprintf("%s/%s%s: %s", user.Provider, user.ID, state, rights))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// isIntruder reports whether a user belongs to the adversary, that is, to none of the side's users.
func (s *side) isIntruder(user listedUser) bool {
	switch user.Provider {
	case "":
		known := []string{
			alice, bob, dave, carolsUser, leaver, revoked, deleted, admin, "app-user", "participant_admin",
		}
		return !slices.Contains(known, user.ID)
	default:
		return user.ID != tenantRoot && user.ID != landlord
	}
}

// rightsOf are a user's rights, except for parties of the adversary.
func (s *side) rightsOf(ctx context.Context, user listedUser) (string, error) {
	var answer struct{ Rights []client.Right }
	client := s.admin
	path := "/v2/users/" + user.ID + "/rights"
	if user.Provider != "" {
		token, err := s.issuer.token(tenantRoot, tokenLife)
		if err != nil {
			return "", err
		}
		client = s.client.With(token)
	}
	if err := client.Get(ctx, path, &answer); err != nil {
		return "", err
	}
	rights := map[string]bool{}
	for _, right := range answer.Rights {
		for kind, value := range right.Kind {
			if value.Value.Party == "" || !slices.Contains(s.intruders, value.Value.Party) && s.isProtected(value.Value.Party) {
				rights[kind+" "+hint(value.Value.Party)] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(rights)), ", "), nil
}

// isProtected reports whether a party belongs to the network, the operator or a bystander.
func (s *side) isProtected(party string) bool {
	if party == s.target.DSO || party == s.target.Operator {
		return true
	}
	for _, own := range s.party {
		if own == party {
			return true
		}
	}
	return false
}
