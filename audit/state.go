package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Rule is one of the things that the audit proves.
type Rule string

// The rules.
const (
	// ConsumedOnce: a contract is consumed at most once, after it was created, and the record of contracts knows it.
	ConsumedOnce Rule = "consumed-once"
	// Unchanged: a contract says what it said when it was created, is marked as the network's if it is, and is listed for
	// its stakeholders as long as it is active.
	Unchanged Rule = "unchanged"
	// Listed: parties find the entries of the record that are theirs, and wallets what became of their requests.
	Listed Rule = "listed"
	// Conserved: what a transaction creates is what it consumes, and mints, less what it burns.
	Conserved Rule = "conserved"
	// Explained: a party's balance changes by what transfers, minting and burning give and take.
	Explained Rule = "explained"
	// Held: the holdings add up to what was minted less what was burned.
	Held Rule = "held"
	// Active: the contracts that are active are those that updates created and did not consume.
	Active Rule = "active"
	// Chained: every offset has an entry whose hash follows from it and from the one before, and nothing else.
	Chained Rule = "chained"
)

// Finding is a place in the record that breaks a rule.
type Finding struct {
	Rule   Rule          `json:"rule" required:"true" doc:"Which rule is broken, such as held or chained"`
	Offset ledger.Offset `json:"offset" required:"true" doc:"Where it shows"`
	// ContractID and Party are "" where the finding is not about one.
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The contract, or empty"`
	Party      ledger.Party      `json:"party" required:"true" doc:"The party, or empty"`
	Detail     string            `json:"detail" required:"true" doc:"What is wrong, in words"`
}

// String is the finding on one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s at offset %d: %s", f.Rule, f.Offset, f.Detail)
	if f.ContractID != "" {
		text += ", contract " + string(f.ContractID)
	}
	if f.Party != "" {
		text += ", party " + string(f.Party)
	}
	return text
}

// maxFindings is how many findings are kept; all are counted.
const maxFindings = 100

// State is the progress and the sums of an audit. The database stores its JSON form. Amounts are coin.
type State struct {
	// Start is the offset that the audit began after: 0, or up to where the record had been pruned.
	Start ledger.Offset `json:"start"`
	// Offset is the last one that was audited.
	Offset ledger.Offset `json:"offset"`
	// Hash is that of the entry at Offset.
	Hash db.Hash `json:"hash"`
	// RecordTime is that of the last update that was audited; zero before the first.
	RecordTime time.Time `json:"recordTime"`
	// Opening is what was held at Start.
	Opening decimal.Decimal `json:"opening"`
	// Minted and Burned are counted since Start.
	Minted decimal.Decimal `json:"minted"`
	Burned decimal.Decimal `json:"burned"`
	// Held is Opening, and what was created less what was consumed since.
	Held decimal.Decimal `json:"held"`
	// Holdings is how many holdings there were when they were added up last.
	Holdings int64 `json:"holdings"`
	// Active are the contracts that were active at Start, and those that were created less those that were consumed since.
	Active contractSet `json:"active"`
	// Packages are those that were uploaded, as updates say.
	Packages map[lf.PackageID]uploadedPackage `json:"packages,omitempty"`
	// Updates is how many were audited.
	Updates int64 `json:"updates"`
	// Findings are the first ones, FindingCount is how many there are.
	Findings     []Finding `json:"findings"`
	FindingCount int64     `json:"findingCount"`

	// listed counts the rows of listings of the entries since Start. Only a full audit compares it, so it is not stored.
	listed rowCounts
}

// report adds findings without duplicates: the audit reads a contract many times.
func (s *State) report(findings ...Finding) {
	for _, finding := range findings {
		if slices.Contains(s.Findings, finding) {
			continue
		}
		s.FindingCount++
		if len(s.Findings) < maxFindings {
			s.Findings = append(slices.Clip(s.Findings), finding)
		}
	}
}

// foundSince are the findings that are not in a state that this one goes on from.
func (s *State) foundSince(before State) []Finding { return s.Findings[len(before.Findings):] }

// Clean reports whether nothing was found.
func (s *State) Clean() bool { return s.FindingCount == 0 }

// Head is the offset that was audited last, with its hash.
func (s *State) Head() db.ChainHead { return db.ChainHead{Offset: s.Offset, Hash: s.Hash} }
