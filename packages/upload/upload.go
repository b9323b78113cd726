package upload

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
)

// Limits bound the cost of one upload, and the packages that a ledger stores.
type Limits struct {
	// Archive and Check bound the reading and the check of one archive.
	Archive archive.Limits
	Check   check.Limits
	// Packages and Bytes bound all uploads of a ledger together.
	Packages int
	Bytes    int64
}

// DefaultLimits are several times what the largest published archives need, and ten times what a network publishes.
func DefaultLimits() Limits {
	limits := Limits{
		Archive: archive.DefaultLimits(), Check: check.DefaultLimits(), Packages: 2000, Bytes: 512 << 20,
	}
	limits.Archive.Packages, limits.Archive.PackageBytes, limits.Archive.TotalBytes = 500, 32<<20, 128<<20
	limits.Archive.Messages, limits.Archive.Nodes = 4_000_000, 16_000_000
	limits.Check.Steps = 20_000_000
	return limits
}

// Ledger has the packages of a ledger.
type Ledger struct {
	// BuiltIn are the built-in packages.
	BuiltIn *ledger.Packages
	// Uploaded are all uploaded packages; Bytes is their total size.
	Uploaded ast.Packages
	Bytes    int64
}

// Package is a package that an upload adds.
type Package struct {
	*ast.Package
	// Payload is the package in Daml-LF.
	Payload []byte
}

// Upload is an archive that may be uploaded.
type Upload struct {
	// Packages are those of the archive, each after those that it depends on.
	Packages []*ast.Package
	// Added are those of them that the ledger lacks.
	Added []Package
	// After are the packages of the ledger after the upload, all vetted; nil if the upload is another build of a built-in
	// package.
	After *ledger.Packages
}

// Check reads an archive and checks it. Faults: those of packages [archive], [check] and [upgrade], and
// DAR_VALIDATION_ERROR for names of built-in packages and for more than a ledger keeps.
func Check(ctx context.Context, data []byte, has Ledger, limits Limits) (Upload, error) {
	dar, err := archive.ReadDAR(data, archive.Options{
		Limits: limits.Archive, Known: func(id lf.PackageID) *ast.Package { return has.Uploaded[id] },
	})
	if err != nil {
		return Upload{}, err
	}
	upload := Upload{Packages: dar.Packages}
	isOtherBuild, err := has.isOtherBuild(dar.Main)
	if isOtherBuild || err != nil {
		return upload, err
	}
	all := make(ast.Packages, len(has.Uploaded)+len(dar.Packages))
	maps.Copy(all, has.Uploaded)
	var added, versioned []*ast.Package
	bytes := has.Bytes
	for _, p := range dar.Packages {
		if all[p.ID] != nil {
			continue
		}
		payload, err := dar.Payload(p.ID)
		if err != nil {
			return Upload{}, err
		}
		all[p.ID] = p
		bytes += int64(len(payload))
		added, upload.Added = append(added, p), append(upload.Added, Package{p, payload})
		ours, taken := has.BuiltIn.Named(p.Name)
		switch {
		case !taken:
			versioned = append(versioned, p)
		case has.BuiltIn.PackageName(p.ID) == "" && definesInterfaces(p):
			return Upload{}, nameTaken(p, ours)
		}
	}
	if err := limits.checkRoom(len(all), bytes); err != nil {
		return Upload{}, err
	}
	if err := check.Packages(ctx, added, check.Options{Limits: limits.Check, Checked: has.Uploaded}); err != nil {
		return Upload{}, err
	}
	if err := upgrade.Packages(versioned, all); err != nil {
		return Upload{}, adviseOn(err, dar.Main)
	}
	upload.After, err = has.fits(all)
	return upload, err
}

// adviseOn adds a hint to a refusal of a name and version that another package has: the default hint, to raise the
// version, fits only the main package of the archive.
func adviseOn(err error, main *ast.Package) error {
	refusal, isFault := fault.As(err)
	if !isFault || !fault.KnownPackageVersion.Matches(err) || refusal.Context["package_name"] == main.Name {
		return err
	}
	return refusal.WithHint("This node has another build of a dependency. Build the package against that one (GET " +
		"/v2/packages/{package-id} returns it), or, if the dependency is yours, raise its version and build both again.")
}

// isOtherBuild reports whether a package is another build of a version that is built in: nothing needs it. It refuses
// other versions of built-in packages, so that nobody uploads another coin. The ledger keeps the archive of a built-in
// package, as those of dependencies, for clients that decode contracts with it; its templates run the built-in code.
func (l Ledger) isOtherBuild(p *ast.Package) (bool, error) {
	ours, known := l.BuiltIn.Named(p.Name)
	switch {
	case !known || l.BuiltIn.PackageName(p.ID) != "":
		return false, nil
	case ours.Version == p.Release:
		return true, nil
	}
	return false, fault.DARValidationError.New(
		"Package %s is version %s of %s, and this node has version %s of it built in",
		p.ID, p.Release, p.Name, ours.Version).
		With("package_id", string(p.ID)).
		WithHint(ours.BuildAgainst() + " Do not upload this one: #" + p.Name + " in commands is the built-in package.")
}

// definesInterfaces reports whether a package has interfaces. Under the name of a built-in package they would be
// useless: the name means the built-in package, and templates implement an interface by its id.
func definesInterfaces(p *ast.Package) bool {
	return slices.ContainsFunc(p.Modules, func(m *ast.Module) bool { return len(m.Interfaces) > 0 })
}

func nameTaken(p *ast.Package, ours ledger.Package) error {
	return fault.DARValidationError.New(
		"Package %s (%s %s) defines interfaces, but its name belongs to a built-in package of this node (version %s)",
		p.ID, p.Name, p.Release, ours.Version).
		With("package_id", string(p.ID)).
		WithHint("If this is your own package, give it another name. If you only need " + p.Name +
			", do not upload another version of it. " + ours.BuildAgainst())
}

func (l Limits) checkRoom(packages int, bytes int64) error {
	switch {
	case packages > l.Packages:
		return fault.DARValidationError.New(
			"The ledger would have %d uploaded packages; the limit is %d", packages, l.Packages)
	case bytes > l.Bytes:
		return fault.DARValidationError.New(
			"The uploaded packages would have %d bytes; the limit is %d", bytes, l.Bytes)
	default:
		return nil
	}
}

// fits returns the packages of a ledger with these uploads. It refuses those that do not work with the built-in ones.
func (l Ledger) fits(all ast.Packages) (*ledger.Packages, error) {
	packages := make([]deployed.Package, 0, len(all))
	for _, p := range all {
		packages = append(packages, deployed.Package{Package: p})
	}
	fitting, err := deployed.Extend(l.BuiltIn, packages)
	if err == nil {
		return fitting, nil
	}
	refusal := fault.DARValidationError.New("The packages do not fit the packages of this node: %s", err).Wrap(err)
	var hints []string
	for _, p := range all {
		if ours, named := l.BuiltIn.Named(p.Name); named && l.BuiltIn.PackageName(p.ID) == "" {
			hints = append(hints, ours.BuildAgainst())
		}
	}
	if len(hints) > 0 {
		slices.Sort(hints)
		refusal = refusal.WithHint(strings.Join(slices.Compact(hints), " "))
	}
	return nil, refusal
}
