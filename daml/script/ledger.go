package script

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// memoryLedger is the ledger of one run of a script: one participant hosts all parties, even if the script names
// several.
type memoryLedger struct {
	packages ast.Packages
	now      time.Time
	parties  []ledger.Party // in the order of allocation
	all      []*user
	unvetted map[lf.PackageID]bool

	entries      map[ledger.ContractID]*entry
	order        []*entry // in the order of creation
	transactions []Transaction
}

// entry is a contract, active or archived.
type entry struct {
	engine.Contract
	argumentType *lf.Type
	archived     bool
}

func newMemoryLedger(packages ast.Packages) *memoryLedger {
	return &memoryLedger{
		packages: packages, now: time.Unix(0, 0).UTC(), unvetted: map[lf.PackageID]bool{},
		entries: map[ledger.ContractID]*entry{},
	}
}

// active lists the active contracts with one of the parties as a stakeholder, in the order of creation.
func (l *memoryLedger) active(parties []ledger.Party) []*entry {
	var out []*entry
	for _, e := range l.order {
		if !e.archived && e.visible(parties) && !e.CreatedAt.After(l.now) {
			out = append(out, e)
		}
	}
	return out
}

// find finds an active contract with one of the parties as a stakeholder; nil for none.
func (l *memoryLedger) find(id ledger.ContractID, parties []ledger.Party) *entry {
	e := l.entries[id]
	if e == nil || e.archived || !e.visible(parties) || e.CreatedAt.After(l.now) {
		return nil
	}
	return e
}

func (e *entry) visible(parties []ledger.Party) bool {
	return slices.ContainsFunc(parties, e.IsStakeholder)
}

func (l *memoryLedger) commit(transaction Transaction) {
	t := transaction.Tree
	for _, created := range t.Created() {
		node := t.Nodes[created.NodeID]
		e := &entry{
			Contract:     engine.Contract{Contract: created.Contract, Argument: node.Argument},
			argumentType: node.ArgumentType,
		}
		l.entries[e.ID] = e
		l.order = append(l.order, e)
	}
	for _, id := range t.Consumed() {
		l.entries[id].archived = true
	}
	l.transactions = append(l.transactions, transaction)
}

func (l *memoryLedger) unallocatedParties(parties []ledger.Party) []ledger.Party {
	return slices.DeleteFunc(slices.Clone(parties), func(party ledger.Party) bool {
		return slices.Contains(l.parties, party)
	})
}

// miss is the reason why a submission cannot use a contract.
type miss string

// The reasons, with the library's names.
const (
	notFound     miss = "NotFound"
	notActive    miss = "NotActive"
	notEffective miss = "NotEffective"
	notVisible   miss = "NotVisible"
)

// host is the ledger for a submission.
type host struct {
	ledger    *memoryLedger
	readers   []ledger.Party
	disclosed map[ledger.ContractID]int // places in the command
	// unusable is the last requested contract if the submission cannot use it, and why the reason.
	unusable ledger.ContractID
	why      miss
	// key is the last requested key.
	key ledger.ContractKey
}

// Contract finds an active contract that the submission may use.
func (h *host) Contract(_ context.Context, id lf.ContractID) (engine.Contract, bool, error) {
	h.unusable = id
	e := h.ledger.entries[id]
	switch {
	case e == nil:
		h.why = notFound
	case e.CreatedAt.After(h.ledger.now):
		h.why = notEffective
	case e.archived:
		h.why = notActive
	case !h.mayUse(e):
		h.why = notVisible
	default:
		h.unusable = ""
		return e.Contract, true, nil
	}
	return engine.Contract{}, false, nil
}

// mayUse reports whether the submission discloses a contract, or one of its parties is a stakeholder.
func (h *host) mayUse(e *entry) bool {
	_, disclosed := h.disclosed[e.ID]
	return disclosed || e.visible(h.readers)
}

// ContractsByKey lists the active contracts with a key that the submission may use: the disclosed ones, in their
// order, then the others, the newest first.
func (h *host) ContractsByKey(_ context.Context, key ledger.ContractKey, limit int) ([]engine.Contract, error) {
	h.key = key
	var out []engine.Contract
	for _, e := range h.ledger.withKey(key.Hash) {
		if h.mayUse(e) {
			out = append(out, e.Contract)
		}
	}
	place := func(c engine.Contract) int {
		if at, ok := h.disclosed[c.ID]; ok {
			return at
		}
		return len(h.disclosed)
	}
	slices.SortStableFunc(out, func(a, b engine.Contract) int { return cmp.Compare(place(a), place(b)) })
	return out[:min(limit, len(out))], nil
}

// withKey lists the active contracts with a key, the newest first.
func (l *memoryLedger) withKey(hash string) []*entry {
	var out []*entry
	for _, e := range slices.Backward(l.order) {
		if e.Key != nil && e.Key.Hash == hash && !e.archived && !e.CreatedAt.After(l.now) {
			out = append(out, e)
		}
	}
	return out
}

// blob packs a contract for a disclosure.
func (e *entry) blob() (string, error) {
	packed, err := ledger.EncodeBlob(e.Contract.Contract)
	return hex.EncodeToString(packed), err
}

// disclosure is a contract that a submission discloses.
type disclosure struct {
	id   ledger.ContractID
	blob string
}

// disclose checks disclosures and returns their contracts.
func (l *memoryLedger) disclose(disclosures []disclosure) (map[ledger.ContractID]int, error) {
	out := map[ledger.ContractID]int{}
	for i, d := range disclosures {
		packed, err := hex.DecodeString(d.blob)
		if err != nil {
			return nil, fault.CommandPreprocessingFailed.New("The disclosure of contract %s is not hexadecimal", d.id)
		}
		contract, err := ledger.DecodeBlob(packed)
		if err != nil {
			return nil, fault.CommandPreprocessingFailed.New("The disclosure of contract %s: %s", d.id, err)
		}
		if contract.ID != d.id {
			return nil, fault.CommandPreprocessingFailed.New("The disclosure of contract %s contains contract %s", d.id,
				contract.ID)
		}
		out[d.id] = i
	}
	return out, nil
}

// selectPackages selects a package for each name: a selectPackages one, or the vetted one with the highest version.
func (l *memoryLedger) selectPackages(preference []lf.PackageID) (map[string]lf.PackageID, error) {
	out := map[string]lf.PackageID{}
	for id, p := range l.packages {
		if l.unvetted[id] {
			continue
		}
		known, ok := out[p.Name]
		if !ok || cmp.Or(upgrade.CompareReleases(p.Release, l.packages[known].Release), cmp.Compare(id, known)) > 0 {
			out[p.Name] = id
		}
	}
	for _, id := range preference {
		p := l.packages[id]
		if p == nil || l.unvetted[id] {
			return nil, fault.PackageSelectionFailed.New("The preferred package %s is unknown or not vetted", id)
		}
		out[p.Name] = id
	}
	return out, nil
}
