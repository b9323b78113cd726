package catalog

import (
	"cmp"
	"context"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/upload"
)

// Limits of one call of [Catalog.CheckContracts]. Its steps take about two seconds of a core.
const (
	maxCheckedContracts = 10_000
	maxCheckedSteps     = 4 * ledger.MaxCodeSteps
	checkedPage         = 100
)

// ContractCheck says which active contracts commands could no longer use after an upload.
type ContractCheck struct {
	// Templates are those with checked contracts, by name.
	Templates []TemplateCheck
	// Next is the position of the last checked contract if there may be more; nil at the end.
	Next *db.Position
}

// TemplateCheck is the check of the contracts of a template, of all other versions of its package.
type TemplateCheck struct {
	// Template is the template in the new version.
	Template    lf.TypeName
	PackageName string
	// Contracts is the number of checked contracts, Unreadable the number of those that the new version cannot use.
	Contracts, Unreadable int
	// Reasons are in the order of their first contract.
	Reasons []UnreadableReason
}

// UnreadableReason is an error that an exercise of contracts would get.
type UnreadableReason struct {
	// Code and Cause are those of the error for the example.
	Code, Cause string
	// Contracts is the number of contracts with the code.
	Contracts int
	Example   ledger.ContractID
}

// CheckContracts checks an archive as [Catalog.Validate] does, and the active contracts of older versions of its
// packages after a position: it computes what an exercise in the new version would. It changes nothing, and stops at its
// limits.
func (c *Catalog) CheckContracts(ctx context.Context, data []byte, after db.Position) (ContractCheck, error) {
	if err := c.Refresh(ctx); err != nil {
		return ContractCheck{}, err
	}
	has := c.current.Load()
	archive, err := c.check(ctx, data, has)
	if err != nil {
		return ContractCheck{}, err
	}
	head, err := c.options.Record.Head(ctx)
	if err != nil {
		return ContractCheck{}, err
	}
	k := contractChecker{packages: archive.After, versions: has.newVersions(archive), found: map[lf.TypeName]*TemplateCheck{}}
	query := db.ActiveQuery{Templates: k.storedTemplates(), At: head.Offset, After: after, Limit: checkedPage}
	next, err := k.read(ctx, c.options.Record.Reader, query)
	if err != nil {
		return ContractCheck{}, err
	}
	return ContractCheck{Templates: k.templates(), Next: next}, nil
}

// newVersions maps the templates of other versions to those that their package names would stand for after an upload.
func (s *state) newVersions(archive upload.Upload) map[lf.TypeName]lf.TypeName {
	vetted := map[lf.PackageID]bool{}
	for _, stored := range s.uploaded {
		vetted[stored.ID] = stored.IsVetted
	}
	newest := map[string]*ast.Package{}
	for _, p := range archive.Packages {
		current, isKnown := s.packages.Named(p.Name)
		isOlder := isKnown && (!current.Uploaded || upgrade.CompareReleases(p.Release, current.Version) <= 0)
		other := newest[p.Name]
		if vetted[p.ID] || isOlder || other != nil && upgrade.CompareReleases(p.Release, other.Release) <= 0 {
			continue // the name stands for another version
		}
		newest[p.Name] = p
	}
	versions := map[lf.TypeName]lf.TypeName{}
	for id, older := range s.trees {
		newer := newest[older.Name]
		if newer == nil || newer.ID == id {
			continue
		}
		for _, module := range newer.Modules {
			for _, template := range module.Templates {
				name := lf.TypeName{Package: id, Module: module.Name, Entity: template.Name}
				if s.packages.IsTemplate(name) {
					versions[name] = lf.TypeName{Package: newer.ID, Module: module.Name, Entity: template.Name}
				}
			}
		}
	}
	return versions
}

// contractChecker checks contracts of several templates.
type contractChecker struct {
	packages *ledger.Packages
	versions map[lf.TypeName]lf.TypeName
	found    map[lf.TypeName]*TemplateCheck
	steps    int64
	count    int
}

func (k *contractChecker) storedTemplates() []string {
	names := []string{} // nil would be all templates
	for stored := range k.versions {
		names = append(names, stored.String())
	}
	slices.Sort(names)
	return names
}

func (k *contractChecker) templates() []TemplateCheck {
	out := []TemplateCheck{}
	for _, one := range k.found {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b TemplateCheck) int { return cmp.Compare(a.Template.String(), b.Template.String()) })
	return out
}

// read checks contracts page by page. It returns the last position if it stops before the end.
func (k *contractChecker) read(ctx context.Context, reader db.Reader, query db.ActiveQuery) (*db.Position, error) {
	for len(query.Templates) > 0 {
		page, err := reader.ActiveContracts(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, stored := range page {
			if err := k.check(ctx, stored.Contract); err != nil {
				return nil, err
			}
			query.After = stored.Position()
			if k.count >= maxCheckedContracts || k.steps >= maxCheckedSteps {
				return &query.After, nil
			}
		}
		if len(page) < int(query.Limit) {
			break
		}
	}
	return nil, nil
}

// check counts a contract. Its budget is that of a whole transaction.
func (k *contractChecker) check(ctx context.Context, contract ledger.Contract) error {
	version := k.versions[contract.Template]
	budget := ledger.NewBudget(ctx)
	err := k.packages.CheckVersion(budget, contract, version)
	if closed := budget.Close(); closed != nil {
		return closed
	}
	granted, _ := budget.Granted()
	k.steps += granted - budget.Steps
	k.count++
	refusal, isRefusal := fault.As(err)
	if err != nil && !isRefusal {
		return err
	}
	of := k.found[version]
	if of == nil {
		of = &TemplateCheck{Template: version, PackageName: contract.PackageName}
		k.found[version] = of
	}
	of.Contracts++
	if err == nil {
		return nil
	}
	of.Unreadable++
	i := slices.IndexFunc(of.Reasons, func(r UnreadableReason) bool { return r.Code == refusal.Code })
	if i < 0 {
		i = len(of.Reasons)
		of.Reasons = append(of.Reasons, UnreadableReason{Code: refusal.Code, Cause: refusal.Cause, Example: contract.ID})
	}
	of.Reasons[i].Contracts++
	return nil
}
