package packages

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/catalog"
)

// UpdateVettedPackagesRequest changes the vetted packages.
type UpdateVettedPackagesRequest struct {
	Changes                []VettedPackagesChange  `json:"changes" required:"true" doc:"The changes"`
	DryRun                 bool                    `json:"dryRun" doc:"Show the result without a change"`
	SynchronizerID         string                  `json:"synchronizerId" doc:"Optional: there is only one"`
	ExpectedTopologySerial *ExpectedTopologySerial `json:"expectedTopologySerial" doc:"Refuse the change at another serial"`

	UpdateVettedPackagesForceFlags []VettingForceFlag `json:"updateVettedPackagesForceFlags" doc:"No effect"`
}

// VettedPackagesChange is one change.
type VettedPackagesChange struct {
	Operation *VettingOperation `json:"operation" required:"true" doc:"What to do"`
}

// VettingOperation vets or unvets.
type VettingOperation struct {
	endpoint.OneOf

	Vet   *endpoint.Value[VetPackages]   `json:"Vet,omitempty" doc:"Allow packages"`
	Unvet *endpoint.Value[UnvetPackages] `json:"Unvet,omitempty" doc:"Disallow packages"`
	Empty *v2.Nothing                    `json:"Empty,omitempty" doc:"Not an operation; refused"`
}

// VetPackages allows packages, within time bounds.
type VetPackages struct {
	Packages              []VettedPackageReference `json:"packages" doc:"The packages"`
	NewValidFromInclusive *endpoint.Timestamp      `json:"newValidFromInclusive" doc:"Start; null for none"`

	NewValidUntilExclusive *endpoint.Timestamp `json:"newValidUntilExclusive" doc:"End; null for none"`
}

// UnvetPackages forbids packages.
type UnvetPackages struct {
	Packages []VettedPackageReference `json:"packages" doc:"The packages"`
}

// VettedPackageReference selects one package by id, name or version.
type VettedPackageReference struct {
	PackageID      string `json:"packageId" doc:"Its id"`
	PackageName    string `json:"packageName" doc:"Its name"`
	PackageVersion string `json:"packageVersion" doc:"Its version"`
}

// ExpectedTopologySerial is the serial before a change.
type ExpectedTopologySerial struct {
	Serial *TopologySerial `json:"serial" doc:"The serial"`
}

// TopologySerial is a serial, or none.
type TopologySerial struct {
	endpoint.OneOf

	Prior   *endpoint.Value[int32] `json:"Prior,omitempty" doc:"The last serial"`
	NoPrior *v2.Nothing            `json:"NoPrior,omitempty" doc:"Nothing was vetted before"`
	Empty   *v2.Nothing            `json:"Empty,omitempty" doc:"No expectation"`
}

// VettingForceFlag overrides a check of upstream. No check of this node can be overridden.
type VettingForceFlag string

const forceFlagPrefix = "UPDATE_VETTED_PACKAGES_FORCE_FLAG_"

// Names implements [endpoint.Enum].
func (VettingForceFlag) Names() []string {
	return []string{
		forceFlagPrefix + "UNSPECIFIED", forceFlagPrefix + "ALLOW_VET_INCOMPATIBLE_UPGRADES",
		forceFlagPrefix + "ALLOW_UNVETTED_DEPENDENCIES",
	}
}

// UpdateVettedPackagesResponse has the vetted packages before and after the change.
type UpdateVettedPackagesResponse struct {
	PastVettedPackages *VettedPackages `json:"pastVettedPackages" doc:"Vetted packages before the change"`
	NewVettedPackages  *VettedPackages `json:"newVettedPackages" doc:"Vetted packages after the change"`
}

type updateVettedRequest struct {
	Body UpdateVettedPackagesRequest `body:"json"`
}

// updateVettedPackages vets or unvets uploaded packages. Built-in packages are always vetted.
func (a *API) updateVettedPackages(ctx context.Context, req updateVettedRequest) (UpdateVettedPackagesResponse, error) {
	body := req.Body
	if len(body.Changes) == 0 {
		return UpdateVettedPackagesResponse{}, fault.MissingFieldNamed("changes")
	}
	if err := a.node.CheckSynchronizer(body.SynchronizerID, "synchronizer_id"); err != nil {
		return UpdateVettedPackagesResponse{}, err
	}
	past, present, err := a.catalog.Vet(ctx, catalog.Vetting{
		Request: requestOf(ctx), DryRun: body.DryRun,
		Decide: func(list catalog.List) (map[lf.PackageID]bool, error) { return vettingOf(body, list) },
	})
	if err != nil {
		return UpdateVettedPackagesResponse{}, err
	}
	before, after := a.vettedPackages(past, PackageMetadataFilter{}), a.vettedPackages(present, PackageMetadataFilter{})
	return UpdateVettedPackagesResponse{PastVettedPackages: &before, NewVettedPackages: &after}, nil
}

// vettingOf returns the new state of each package in a request. The last change of a package counts.
func vettingOf(body UpdateVettedPackagesRequest, list catalog.List) (map[lf.PackageID]bool, error) {
	if err := checkSerial(body.ExpectedTopologySerial, list.Serial); err != nil {
		return nil, err
	}
	vetted := map[lf.PackageID]bool{}
	for _, change := range body.Changes {
		if err := addVettingChange(vetted, change, list.Packages); err != nil {
			return nil, err
		}
	}
	return vetted, nil
}

func addVettingChange(vetted map[lf.PackageID]bool, change VettedPackagesChange, known []catalog.Package) error {
	switch operation := change.Operation; {
	case operation != nil && operation.Vet != nil:
		vet := operation.Vet.Value
		for _, reference := range vet.Packages {
			pkg, err := packageReferredTo(reference, known)
			if err != nil {
				return err
			}
			vetted[pkg.ID] = true
		}
		if vet.NewValidFromInclusive != nil || vet.NewValidUntilExclusive != nil {
			return fault.InvalidArgumentf("this node does not support time bounds of vetting").
				WithHint("Leave out newValidFromInclusive and newValidUntilExclusive, and change the vetting at that time.")
		}
		return nil
	case operation != nil && operation.Unvet != nil:
		for _, reference := range operation.Unvet.Value.Packages {
			pkg, err := packageReferredTo(reference, known)
			if err != nil {
				return err
			}
			if pkg.IsBuiltIn {
				return fault.InvalidArgumentf("package %s (%s %s) cannot be unvetted: built-in packages are always vetted",
					pkg.ID, pkg.Name, pkg.Version)
			}
			vetted[pkg.ID] = false
		}
		return nil
	default:
		return fault.InvalidArgumentf("a change has no operation: send Vet or Unvet")
	}
}

// packageReferredTo finds the only package that fits all parts of the reference.
func packageReferredTo(reference VettedPackageReference, known []catalog.Package) (catalog.Package, error) {
	if reference == (VettedPackageReference{}) {
		return catalog.Package{}, fault.InvalidArgumentf("a package reference is empty: send an id, a name or a version")
	}
	var found []catalog.Package
	for _, pkg := range known {
		if (reference.PackageID == "" || pkg.HasID(lf.PackageID(reference.PackageID))) &&
			(reference.PackageName == "" || reference.PackageName == pkg.Name) &&
			(reference.PackageVersion == "" || reference.PackageVersion == pkg.Version) {
			found = append(found, pkg)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return catalog.Package{}, fault.UnresolvedVettingReference.New("No package has the id %q, the name %q and the "+
			"version %q", fault.Shorten(reference.PackageID), fault.Shorten(reference.PackageName),
			fault.Shorten(reference.PackageVersion)).
			WithHint("POST /v2/package-vetting/list lists the vetted packages. Upload other packages first.")
	default:
		return catalog.Package{}, fault.AmbiguousVettingReference.New("%d packages have the name %q and the version %q",
			len(found), fault.Shorten(reference.PackageName), fault.Shorten(reference.PackageVersion))
	}
}

func checkSerial(expected *ExpectedTopologySerial, serial int32) error {
	if expected == nil || expected.Serial == nil || expected.Serial.Empty != nil {
		return nil
	}
	if expected.Serial.NoPrior != nil {
		return fault.TopologySerialMismatch.New("The request expects no serial, but the current serial is %d", serial)
	}
	if given := expected.Serial.Prior.Value; given != serial {
		return fault.TopologySerialMismatch.New("The request expects serial %d, but the current serial is %d", given, serial)
	}
	return nil
}
