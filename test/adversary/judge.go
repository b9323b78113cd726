package adversary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
)

// Finding is something that must not be.
type Finding struct {
	Seed uint64
	// From and To are the steps among which it happened, and Cycle that of the bystanders.
	From, To, Cycle int
	// What is wrong.
	What string
	// Narrowed is set where these steps alone bring it about.
	Narrowed bool
	// Requests are those of the adversary, as lines for a shell.
	Requests []string
}

// String says all of it.
func (f Finding) String() string {
	from := ""
	if f.Narrowed {
		from = fmt.Sprintf(" FROM=%d", f.From)
	}
	return fmt.Sprintf("seed %d, steps %d to %d: %s\n%s\nrepeat it with: make attack SEED=%d STEPS=%d%s",
		f.Seed, f.From, f.To, f.What, strings.Join(f.Requests, "\n"), f.Seed, f.To, from)
}

const (
	// slower and slack are by how much bystanders may be slower beside the adversary.
	slower = 12
	slack  = 600 * time.Millisecond
	// restTime is how long nodes that have nothing to do are watched.
	restTime = 2 * time.Second
	// restLoad is by how many seconds of a processor in a second the attacked node may do more than the quiet one then.
	restLoad = 0.4
	// restGoroutines and restMemory are by how much it may hold more.
	restGoroutines = 100
	restMemory     = 500e6
)

// judge compares what both sides were told, and looks at the network of the attacked one.
func (r *run) judge(ctx context.Context, cycle int, steps []step) error {
	var wrong []string
	wrong = append(wrong, r.attacker.findings...)
	differences, err := r.compare()
	if err != nil {
		return err
	}
	wrong = append(wrong, differences...)
	invariants, err := r.attacked.invariants(ctx)
	if err != nil {
		invariants = append(invariants, "the network cannot be looked at: "+plain(err))
	}
	wrong = append(wrong, invariants...)
	r.attacker.count += len(r.attacker.sent)
	r.attacker.settled = r.attacker.known.offset
	if r.options.Progress != nil && (cycle%20 == 0 || len(wrong) > 0) {
		r.options.Progress(fmt.Sprintf("%d steps, %d cycles, %d requests, offset %d: %d findings", r.report.Steps, cycle,
			r.attacker.count, r.attacker.known.offset, len(wrong)))
	}
	r.report.Committed = r.attacker.known.offset
	for _, what := range wrong {
		r.find(cycle, steps, what)
	}
	return ctx.Err()
}

func (r *run) find(cycle int, steps []step, what string) {
	found := Finding{Seed: r.options.Seed, Cycle: cycle, What: what}
	if len(steps) > 0 {
		found.From, found.To = steps[0].number, steps[len(steps)-1].number
	}
	// Those that the node took come first: what is wrong followed from one of them more likely. They are printed once.
	for _, taken := range []bool{true, false} {
		if len(r.report.Findings) > 0 {
			break
		}
		for _, sent := range r.attacker.sent {
			if (sent.status/100 == 2) == taken && len(found.Requests) < maxRequests {
				found.Requests = append(found.Requests, fmt.Sprintf("# step %d, HTTP %d\n%s", sent.step, sent.status,
					sent.request.curl()))
			}
		}
	}
	r.report.Findings = append(r.report.Findings, found)
}

// maxRequests is how many requests are printed with a finding.
const maxRequests = 60

// compare compares the facts of both sides, and how long they took. It fails where the bystanders cannot work without
// the adversary either.
func (r *run) compare() (wrong []string, err error) {
	if len(r.attacked.facts) != len(r.quiet.facts) {
		return nil, errors.New("the bystanders did not do the same on both sides")
	}
	var beside, without []time.Duration
	for i, got := range r.attacked.facts {
		wanted := r.quiet.facts[i]
		r.report.Facts++
		if strings.HasPrefix(wanted.value, refusedMark) {
			return nil, fmt.Errorf("%s, without the adversary: %s", wanted.name, wanted.detail)
		}
		if got.value != wanted.value {
			wrong = append(wrong, fmt.Sprintf("%s: %s; without the adversary: %s %s", got.name, got.value,
				wanted.value, got.detail))
		}
		if i < r.quiet.worked { // the adversary rests while the others are observed
			beside, without = append(beside, got.took), append(without, wanted.took)
		}
		r.report.Slowest[0] = max(r.report.Slowest[0], got.took)
		r.report.Slowest[1] = max(r.report.Slowest[1], wanted.took)
	}
	if a, b := median(beside), median(without); a > slower*b+slack {
		wrong = append(wrong, fmt.Sprintf("the bystanders wait %s for what takes %s without the adversary", a, b))
	}
	return wrong, nil
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	if len(of) == 0 {
		return 0
	}
	return of[len(of)/2]
}

// findIntruders learns which parties belong to the adversary: all that are nobody else's.
func (s *side) findIntruders(ctx context.Context) error {
	page := ""
	s.intruders = nil
	for {
		var answer struct {
			Parties []struct {
				Party string `json:"party"`
			} `json:"partyDetails"`
			Next string `json:"nextPageToken"`
		}
		if err := s.admin.Get(ctx, "/v2/parties?pageSize=1000&pageToken="+page, &answer); err != nil {
			return fmt.Errorf("list the parties: %w", err)
		}
		for _, one := range answer.Parties {
			if !s.isProtected(one.Party) && !strings.HasPrefix(one.Party, "newcomer-") {
				s.intruders = append(s.intruders, one.Party)
			}
		}
		if page = answer.Next; page == "" {
			return nil
		}
	}
}

// invariants are what holds on any node.
func (s *side) invariants(ctx context.Context) (wrong []string, err error) {
	for _, check := range []func(context.Context) (string, error){
		s.checkSupply, s.checkTraffic, s.checkCoinOfIntruders,
	} {
		found, failed := check(ctx)
		err = errors.Join(err, failed)
		if found != "" {
			wrong = append(wrong, found)
		}
	}
	return wrong, err
}

// checkSupply audits the record, and compares what the registry says of the supply.
func (s *side) checkSupply(ctx context.Context) (string, error) {
	var report struct {
		Clean    bool
		Supply   string
		Findings json.RawMessage
	}
	// The registry may say what was a moment ago.
	said := ""
	_, err := await(ctx, "supply", func(ctx context.Context) (string, bool, error) {
		said = ""
		if err := s.admin.Get(ctx, "/v0/admin/audit", &report); err != nil {
			return "", false, err
		}
		if !report.Clean {
			said = "the audit found: " + cut(string(report.Findings), 500)
			return "", true, nil
		}
		var instrument struct{ TotalSupply string }
		if err := s.client.Get(ctx, "/registry/metadata/v1/instruments/Amulet", &instrument); err != nil {
			return "", false, err
		}
		if !sum(instrument.TotalSupply).Equal(sum(report.Supply)) {
			said = fmt.Sprintf("the registry says that %s exist, and the audit %s", instrument.TotalSupply, report.Supply)
		}
		return said, said == "", nil
	})
	if said != "" {
		return said, nil
	}
	return "", err
}

// checkTraffic compares the node's traffic with the purchases that the network has signed.
func (s *side) checkTraffic(ctx context.Context) (string, error) {
	signed, err := s.signedByDSO(ctx, "#splice-amulet:Splice.DecentralizedSynchronizer:MemberTraffic")
	if err != nil {
		return "", err
	}
	var bought []string
	for _, one := range signed {
		var payload struct{ MemberID, TotalPurchased string }
		if err := json.Unmarshal(one.CreateArgument, &payload); err != nil {
			return "", err
		}
		if payload.MemberID == "PAR::"+s.participant {
			bought = append(bought, payload.TotalPurchased)
		}
	}
	granted, err := s.traffic(ctx)
	if total := sum(strconv.FormatInt(granted, 10)); err == nil && !total.Equal(sum(bought...)) {
		return fmt.Sprintf("the node has bought traffic %s, and the network signed %s", total.Show(),
			sum(bought...).Show()), nil
	}
	return "", err
}

// traffic is how much the node was granted.
func (s *side) traffic(ctx context.Context) (int64, error) {
	var status struct {
		Traffic struct {
			Target struct {
				Total int64 `json:"total_purchased"`
			} `json:"target"`
		} `json:"traffic_status"`
	}
	err := s.client.Get(ctx,
		"/api/scan/v0/domains/"+s.synchronizer+"/members/PAR::"+s.participant+"/traffic-status", &status)
	return status.Traffic.Target.Total, err
}

// checkCoinOfIntruders compares what the scan says that the adversary holds with the coin that the network signed.
func (s *side) checkCoinOfIntruders(ctx context.Context) (string, error) {
	for _, party := range s.intruders {
		if s.isExternalOrEmpty(party) {
			continue
		}
		var answer struct {
			Summaries []struct {
				Total string `json:"total_coin_holdings"`
			}
		}
		err := s.client.Post(ctx, "/api/scan/v0/holdings/summary", object{
			"owner_party_ids": []string{party}, "migration_id": 0, "as_of_round": 0, "record_time": s.now,
		}, &answer)
		if err != nil || len(answer.Summaries) != 1 {
			return "", err
		}
		held, err := s.signedCoin(ctx, party)
		if err != nil {
			return "", err
		}
		if said := answer.Summaries[0].Total; !sum(said).Equal(sum(held)) {
			return fmt.Sprintf("the scan says that %s holds %s, and the network signed %s", hint(party), said, held), nil
		}
	}
	return "", nil
}

// isExternalOrEmpty leaves out parties that never had coin: only those that registered have wallets.
func (s *side) isExternalOrEmpty(party string) bool {
	return hint(party) != mallory && hint(party) != mallet
}

// signedCoin is the coin of a party that the network signed.
func (s *side) signedCoin(ctx context.Context, party string) (string, error) {
	end, err := s.admin.LedgerEnd(ctx)
	if err != nil {
		return "", err
	}
	reader := s.as(hint(party))
	found, err := reader.ActiveContracts(ctx, end, party, client.AmuletTemplate,
		"#splice-amulet:Splice.Amulet:LockedAmulet")
	var amounts []string
	for _, one := range found {
		type coin struct {
			Owner  string
			Amount struct{ InitialAmount string }
		}
		var payload struct {
			coin
			Amulet *coin
		}
		if err := json.Unmarshal(one.CreateArgument, &payload); err != nil {
			return "", err
		}
		if payload.Amulet != nil {
			payload.coin = *payload.Amulet
		}
		if payload.Owner == party && slices.Contains(one.Signatories, s.target.DSO) {
			amounts = append(amounts, payload.Amount.InitialAmount)
		}
	}
	return sum(amounts...).String(), err
}
