package script

import (
	"slices"
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func (l *memoryLedger) contracts(q *question, parties []ledger.Party, template lf.TypeName) ([]foundContract, error) {
	var out []foundContract
	for _, e := range l.active(parties) {
		if e.Template != template {
			continue
		}
		argument, err := q.suite.program.Import(e.Template, e.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, foundContract{id: e.ID, value: argument})
	}
	return out, nil
}

func (l *memoryLedger) contract(
	q *question, parties []ledger.Party, template lf.TypeName, id ledger.ContractID,
) (*foundContract, error) {
	e := l.find(id, parties)
	if e == nil || e.Template.QualifiedName() != template.QualifiedName() || !q.sameName(e.Template, template) {
		return nil, nil //nolint:nilnil // as the interface has it
	}
	argument, err := q.importValue(template, e.Argument)
	if err != nil {
		return nil, err
	}
	blob, err := e.blob()
	return &foundContract{e.ID, argument, blob}, err
}

func (l *memoryLedger) views(q *question, parties []ledger.Party, of lf.TypeName) ([]foundContract, error) {
	names, err := l.selectPackages(nil)
	if err != nil {
		return nil, err
	}
	var out []foundContract
	for _, e := range l.active(parties) {
		view, implements, err := q.view(e, of, names)
		if err != nil {
			return nil, err
		}
		if implements {
			out = append(out, foundContract{id: e.ID, value: view})
		}
	}
	return out, nil
}

func (l *memoryLedger) view(
	q *question, parties []ledger.Party, of lf.TypeName, id ledger.ContractID,
) (engine.Value, error) {
	e := l.find(id, parties)
	if e == nil {
		return none, nil
	}
	names, err := l.selectPackages(nil)
	if err != nil {
		return nil, err
	}
	view, _, err := q.view(e, of, names)
	return view, err
}

func (l *memoryLedger) byKey(
	q *question, parties []ledger.Party, template lf.TypeName, hash string, limit int64,
) ([]foundContract, error) {
	var out []foundContract
	for _, e := range l.withKey(hash) {
		if int64(len(out)) >= limit {
			break
		}
		if !e.visible(parties) {
			continue
		}
		argument, err := q.importValue(template, e.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, foundContract{id: e.ID, value: argument})
	}
	return out, nil
}

func (l *memoryLedger) knownParties(*question) ([]knownParty, error) {
	out := make([]knownParty, len(l.parties))
	for i, party := range l.parties {
		out[i] = knownParty{party, true}
	}
	return out, nil
}

func (l *memoryLedger) time(*question) (time.Time, error) { return l.now, nil }

// setTime sets the ledger's time, forward or back.
func (l *memoryLedger) setTime(_ *question, to time.Time) error {
	l.now = to
	return nil
}

// sleep does nothing: only setTime and passTime change the ledger's time.
func (*memoryLedger) sleep(*question, time.Duration) error { return nil }

func (l *memoryLedger) createUser(q *question, u *user) (bool, error) {
	if known, err := l.user(q, u.id); known != nil || err != nil {
		return false, err
	}
	l.all = append(l.all, u)
	return true, nil
}

func (l *memoryLedger) user(_ *question, id string) (*user, error) {
	for _, u := range l.all {
		if u.id == id {
			return u, nil
		}
	}
	return nil, nil //nolint:nilnil // as the interface has it
}

func (l *memoryLedger) users(*question) ([]*user, error) { return l.all, nil }

func (l *memoryLedger) deleteUser(_ *question, id string) error {
	l.all = slices.DeleteFunc(l.all, func(u *user) bool { return u.id == id })
	return nil
}

func (*memoryLedger) grant(_ *question, to *user, rights []right) ([]right, error) {
	return to.grant(rights), nil
}

func (*memoryLedger) revoke(_ *question, of *user, rights []right) ([]right, error) {
	return of.revoke(rights), nil
}

func (l *memoryLedger) vet(_ *question, ids []lf.PackageID, allowed bool) error {
	for _, id := range ids {
		if allowed {
			delete(l.unvetted, id)
		} else {
			l.unvetted[id] = true
		}
	}
	return nil
}

func (l *memoryLedger) releases(_ *question, vetted bool) ([]release, error) {
	var all []release
	for id, p := range l.packages {
		if !vetted || !l.unvetted[id] {
			all = append(all, release{p.Name, p.Release})
		}
	}
	return all, nil
}

func (l *memoryLedger) report(out *Report) {
	out.Transactions, out.Parties = l.transactions, l.parties
	for _, e := range l.order {
		if !e.archived {
			out.Contracts = append(out.Contracts, e.Contract.Contract)
		}
	}
}
