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

// Finding is a violation.
type Finding struct {
	Seed uint64
	// It happened between the steps From and To, in this Cycle of the bystanders.
	From, To, Cycle int
	// What describes the violation.
	What string
	// Narrowed: these steps suffice for it.
	Narrowed bool
	// Requests are the adversary's requests as shell lines.
	Requests []string
}

// String is the complete text of the finding.
func (f Finding) String() string {
	from := ""
	if f.Narrowed {
		from = fmt.Sprintf(" FROM=%d", f.From)
	}
	return fmt.Sprintf("seed %d, steps %d to %d: %s\n%s\nrepeat it with: make attack SEED=%d STEPS=%d%s",
		f.Seed, f.From, f.To, f.What, strings.Join(f.Requests, "\n"), f.Seed, f.To, from)
}

const (
	// slower (a factor) and slack limit how much slower bystanders may be beside the adversary.
	slower = 12
	slack  = 600 * time.Millisecond
	// restTime is the time of the check of idle nodes.
	restTime = 2 * time.Second
	// restLoad limits the additional CPU seconds a second of the attacked node while idle.
	restLoad = 0.4
	// restGoroutines and restMemory limit its additional goroutines and memory.
	restGoroutines = 100
	restMemory     = 500e6
)

// judge compares the facts of both sides, and checks the network of the attacked side.
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
		invariants = append(invariants, "the check of the network failed: "+plain(err))
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
	// Successful requests come first: they are more likely the cause. Each is printed once.
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

// maxRequests limits the printed requests of a finding.
const maxRequests = 60

// compare compares the facts of both sides, and their times. It fails if the bystanders cannot work on the quiet side.
func (r *run) compare() (wrong []string, err error) {
	if len(r.attacked.facts) != len(r.quiet.facts) {
		return nil, errors.New("the bystanders did not do the same on both sides")
	}
	var beside, without []time.Duration
	for i, got := range r.attacked.facts {
		expected := r.quiet.facts[i]
		r.report.Facts++
		if strings.HasPrefix(expected.value, refusedMark) {
			return nil, fmt.Errorf("%s, without the adversary: %s", expected.name, expected.detail)
		}
		if got.value != expected.value {
			wrong = append(wrong, fmt.Sprintf("%s: %s; without the adversary: %s %s", got.name, got.value,
				expected.value, got.detail))
		}
		if i < r.quiet.worked { // the adversary rests during the later observations
			beside, without = append(beside, got.took), append(without, expected.took)
		}
		r.report.Slowest[0] = max(r.report.Slowest[0], got.took)
		r.report.Slowest[1] = max(r.report.Slowest[1], expected.took)
	}
	if a, b := median(beside), median(without); a > slower*b+slack {
		wrong = append(wrong, fmt.Sprintf("the bystanders wait %s, and %s without the adversary", a, b))
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

// findIntruders finds the parties of the adversary: all without another owner.
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

// invariants checks the rules for any node.
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

// checkSupply audits the record, and compares its supply with the registry's.
func (s *side) checkSupply(ctx context.Context) (string, error) {
	var report struct {
		Clean    bool
		Supply   string
		Findings json.RawMessage
	}
	// The registry may be a moment behind.
	problem := ""
	_, err := await(ctx, "supply", func(ctx context.Context) (string, bool, error) {
		problem = ""
		if err := s.admin.Get(ctx, "/v0/admin/audit", &report); err != nil {
			return "", false, err
		}
		if !report.Clean {
			problem = "the audit found: " + cut(string(report.Findings), 500)
			return "", true, nil
		}
		var instrument struct{ TotalSupply string }
		if err := s.client.Get(ctx, "/registry/metadata/v1/instruments/Amulet", &instrument); err != nil {
			return "", false, err
		}
		if !sum(instrument.TotalSupply).Equal(sum(report.Supply)) {
			problem = fmt.Sprintf("the registry says that %s exist, and the audit %s", instrument.TotalSupply, report.Supply)
		}
		return problem, problem == "", nil
	})
	if problem != "" {
		return problem, nil
	}
	return "", err
}

// checkTraffic compares the node's traffic with the purchases on contracts of the network.
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

// traffic is the purchased traffic of the node.
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

// checkCoinOfIntruders compares the adversary's holdings in the scan with the coin that the network signed.
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
		if total := answer.Summaries[0].Total; !sum(total).Equal(sum(held)) {
			return fmt.Sprintf("the scan says that %s holds %s, and the network signed %s", hint(party), total, held), nil
		}
	}
	return "", nil
}

// isExternalOrEmpty reports whether a party never had coin, because it has no wallet.
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
