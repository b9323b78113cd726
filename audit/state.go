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
	// Unchanged: a contract equals its creation, has the right mark (in_network), and is listed for its stakeholders while
	// it is active.
	Unchanged Rule = "unchanged"
	// Listed: parties find their entries of the record, and wallets the state of their requests.
	Listed Rule = "listed"
	// Conserved: a transaction creates the coin that it consumes and mints, less the coin that it burns.
	Conserved Rule = "conserved"
	// Explained: transfers, minting and burning explain every change of a party's balance.
	Explained Rule = "explained"
	// Held: the holdings add up to the minted coin less the burned coin.
	Held Rule = "held"
	// Active: the active contracts are those that updates created and did not consume.
	Active Rule = "active"
	// Chained: every offset has an entry whose hash follows from it and from the one before, and nothing else.
	Chained Rule = "chained"
)

// Finding is a place in the record that breaks a rule.
type Finding struct {
	Rule   Rule          `json:"rule" required:"true" doc:"Which rule is broken, such as held or chained"`
	Offset ledger.Offset `json:"offset" required:"true" doc:"Where it shows"`
	// ContractID and Party are "" if the finding is not about one.
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The contract, or empty"`
	Party      ledger.Party      `json:"party" required:"true" doc:"The party, or empty"`
	Detail     string            `json:"detail" required:"true" doc:"What is wrong, in words"`
}

// String formats the finding on one line.
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

// maxFindings limits the stored findings; FindingCount counts all.
const maxFindings = 100

// State is the progress and the sums of an audit. The database stores its JSON form. Amounts are coin.
type State struct {
	// Start is the offset after which the audit began: 0 or the pruned offset.
	Start ledger.Offset `json:"start"`
	// Offset is the last audited offset.
	Offset ledger.Offset `json:"offset"`
	// Hash is the hash of the entry at Offset.
	Hash db.Hash `json:"hash"`
	// RecordTime is the record time of the last audited update; zero before the first.
	RecordTime time.Time `json:"recordTime"`
	// Opening is the held coin at Start.
	Opening decimal.Decimal `json:"opening"`
	// Minted and Burned are counted since Start.
	Minted decimal.Decimal `json:"minted"`
	Burned decimal.Decimal `json:"burned"`
	// Held is Opening, plus the holdings created and less the holdings consumed since.
	Held decimal.Decimal `json:"held"`
	// Holdings is the number of holdings at the last Close.
	Holdings int64 `json:"holdings"`
	// Active are the active contracts at Start, plus those created and less those consumed since.
	Active contractSet `json:"active"`
	// Packages are the uploaded packages, by the updates.
	Packages map[lf.PackageID]uploadedPackage `json:"packages,omitempty"`
	// Updates counts the audited updates.
	Updates int64 `json:"updates"`
	// Findings are the first maxFindings, FindingCount is the number of all.
	Findings     []Finding `json:"findings"`
	FindingCount int64     `json:"findingCount"`

	// listings counts the expected listing rows of the entries since Start. Only a full audit compares it, so it is not
	// stored.
	listings rowCounts
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

// findingsAfter lists the findings that an earlier state does not have.
func (s *State) findingsAfter(before State) []Finding { return s.Findings[len(before.Findings):] }

// Clean reports whether there are no findings.
func (s *State) Clean() bool { return s.FindingCount == 0 }

// Head returns the last audited offset with its hash.
func (s *State) Head() db.ChainHead { return db.ChainHead{Offset: s.Offset, Hash: s.Hash} }
