package adversary

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

type scanContract struct {
	Contract struct {
		TemplateID string          `json:"template_id"`
		ID         string          `json:"contract_id"`
		Blob       string          `json:"created_event_blob"`
		Payload    json.RawMessage `json:"payload"`
	} `json:"contract"`
}

func (s scanContract) contract() contract {
	return contract{id: s.Contract.ID, templateID: s.Contract.TemplateID, blob: s.Contract.Blob}
}

type round struct {
	scanContract
	Round    struct{ Number string }
	OpensAt  time.Time
	Issuance map[string]any
}

// network is the public part of the network's contracts.
type network struct {
	rules         contract
	open, issuing []round
}

// network reads the network's contracts from the scan.
func (s *side) network(ctx context.Context) (found network, err error) {
	var rules struct {
		Update scanContract `json:"amulet_rules_update"`
	}
	if err := s.client.Post(ctx, "/api/scan/v0/amulet-rules", object{}, &rules); err != nil {
		return found, err
	}
	found.rules = rules.Update.contract()
	var rounds struct {
		Open    map[string]scanContract `json:"open_mining_rounds"`
		Issuing map[string]scanContract `json:"issuing_mining_rounds"`
	}
	err = s.client.Post(ctx, "/api/scan/v0/open-and-issuing-mining-rounds", object{
		"cached_open_mining_round_contract_ids": []any{}, "cached_issuing_round_contract_ids": []any{},
	}, &rounds)
	if err != nil {
		return found, err
	}
	if found.open, err = readRounds(rounds.Open); err == nil {
		found.issuing, err = readRounds(rounds.Issuing)
	}
	return found, err
}

func readRounds(all map[string]scanContract) (rounds []round, err error) {
	for _, one := range all {
		read := round{scanContract: one}
		if err := json.Unmarshal(one.Contract.Payload, &read); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(one.Contract.Payload, &read.Issuance); err != nil {
			return nil, err
		}
		rounds = append(rounds, read)
	}
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Compare(a.number(), b.number()) })
	return rounds, nil
}

func (r round) number() int64 {
	number, _ := strconv.ParseInt(r.Round.Number, 10, 64)
	return number
}

func (n network) usable(now time.Time) string {
	for _, one := range slices.Backward(n.open) {
		if !one.OpensAt.After(now) {
			return one.Contract.ID
		}
	}
	return ""
}

// disclosed are the network's contracts in the form of disclosed contracts.
func (n network) disclosed(synchronizer string) []any {
	list := []any{}
	for _, each := range n.contracts() {
		list = append(list, object{
			"contractId": each.id, "templateId": each.templateID, "createdEventBlob": each.blob,
			"synchronizerId": synchronizer,
		})
	}
	return list
}

func (n network) contracts() []contract {
	list := []contract{n.rules}
	for _, one := range slices.Concat(n.open, n.issuing) {
		list = append(list, one.contract())
	}
	return list
}

// roundFacts are the open rounds and the amounts of the issuing rounds.
func (n network) roundFacts() (open, issuing string) {
	var numbers, rates []string
	for _, one := range n.open {
		numbers = append(numbers, one.Round.Number+" opens "+one.OpensAt.Format("15:04:05"))
	}
	for _, one := range n.issuing {
		rate := []string{one.Round.Number}
		for _, name := range slices.Sorted(maps.Keys(one.Issuance)) {
			if strings.Contains(name, "ssuancePer") {
				rate = append(rate, fmt.Sprintf("%s=%v", name, one.Issuance[name]))
			}
		}
		rates = append(rates, strings.Join(rate, " "))
	}
	return strings.Join(numbers, ", "), strings.Join(rates, "; ")
}

// signedByDSO are the active contracts of templates that the network signed.
func (s *side) signedByDSO(ctx context.Context, templates ...string) ([]client.CreatedEvent, error) {
	end, err := s.admin.LedgerEnd(ctx)
	if err != nil {
		return nil, err
	}
	var signed []client.CreatedEvent
	for _, template := range templates {
		found, err := s.admin.ActiveContracts(ctx, end, s.target.DSO, template)
		if err != nil {
			return nil, err
		}
		for _, created := range found {
			if slices.Contains(created.Signatories, s.target.DSO) {
				signed = append(signed, created)
			}
		}
	}
	return signed, nil
}

// sum adds up amounts; invalid text counts as 0.
func sum(amounts ...string) (total decimal.Decimal) {
	for _, amount := range amounts {
		if parsed, err := decimal.Parse(amount); err == nil {
			if more, err := total.Add(parsed); err == nil {
				total = more
			}
		}
	}
	return total
}
