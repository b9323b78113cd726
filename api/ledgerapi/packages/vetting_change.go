package packages

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// UpdateVettedPackagesRequest changes which packages are vetted.
type UpdateVettedPackagesRequest struct {
	Changes                []VettedPackagesChange  `json:"changes" required:"true" doc:"The changes"`
	DryRun                 bool                    `json:"dryRun" doc:"Only tell what would be"`
	SynchronizerID         string                  `json:"synchronizerId" doc:"May be left out: there is one"`
	ExpectedTopologySerial *ExpectedTopologySerial `json:"expectedTopologySerial" doc:"Refuse if it is another"`

	UpdateVettedPackagesForceFlags []VettingForceFlag `json:"updateVettedPackagesForceFlags" doc:"Without effect"`
}

// VettedPackagesChange is one change.
type VettedPackagesChange struct {
	Operation *VettingOperation `json:"operation" required:"true" doc:"What to do"`
}

// VettingOperation vets or unvets.
type VettingOperation struct {
	endpoint.OneOf

	Vet   *endpoint.Value[VetPackages]   `json:"Vet,omitempty" doc:"Allow packages"`
	Unvet *endpoint.Value[UnvetPackages] `json:"Unvet,omitempty" doc:"No longer allow packages"`
	Empty *v2.Nothing                    `json:"Empty,omitempty" doc:"Not an operation; refused"`
}

// VetPackages allows packages, within bounds of time.
type VetPackages struct {
	Packages              []VettedPackageReference `json:"packages" doc:"The packages"`
	NewValidFromInclusive *endpoint.Timestamp      `json:"newValidFromInclusive" doc:"From when; null for always"`

	NewValidUntilExclusive *endpoint.Timestamp `json:"newValidUntilExclusive" doc:"Until when; null for ever"`
}

// UnvetPackages no longer allows packages.
type UnvetPackages struct {
	Packages []VettedPackageReference `json:"packages" doc:"The packages"`
}

// VettedPackageReference selects one package by what is given of it.
type VettedPackageReference struct {
	PackageID      string `json:"packageId" doc:"Its id"`
	PackageName    string `json:"packageName" doc:"Its name"`
	PackageVersion string `json:"packageVersion" doc:"Its version"`
}

// ExpectedTopologySerial is the serial that a change builds on.
type ExpectedTopologySerial struct {
	Serial *TopologySerial `json:"serial" doc:"The serial"`
}

// TopologySerial is a serial, or that there is none.
type TopologySerial struct {
	endpoint.OneOf

	Prior   *endpoint.Value[int32] `json:"Prior,omitempty" doc:"The last serial"`
	NoPrior *v2.Nothing            `json:"NoPrior,omitempty" doc:"Nothing was vetted before"`
	Empty   *v2.Nothing            `json:"Empty,omitempty" doc:"No expectation"`
}

// VettingForceFlag overrides a check.
type VettingForceFlag string

// Names implements [endpoint.Enum].
func (VettingForceFlag) Names() []string {
	const prefix = "UPDATE_VETTED_PACKAGES_FORCE_FLAG_"
	return []string{
		prefix + "UNSPECIFIED", prefix + "ALLOW_VET_INCOMPATIBLE_UPGRADES", prefix + "ALLOW_UNVETTED_DEPENDENCIES",
	}
}

// UpdateVettedPackagesResponse tells what was vetted before and is vetted now.
type UpdateVettedPackagesResponse struct {
	PastVettedPackages *VettedPackages `json:"pastVettedPackages" doc:"Before"`
	NewVettedPackages  *VettedPackages `json:"newVettedPackages" doc:"Now"`
}

type updateVettedRequest struct {
	Body UpdateVettedPackagesRequest `body:"json"`
}

// updateVettedPackages accepts changes that change nothing: built-in packages are always vetted.
func (a *API) updateVettedPackages(_ context.Context, req updateVettedRequest) (UpdateVettedPackagesResponse, error) {
	body := req.Body
	if len(body.Changes) == 0 {
		return UpdateVettedPackagesResponse{}, fault.MissingFieldNamed("changes")
	}
	if err := v2.CheckSynchronizer(a.node, body.SynchronizerID, "synchronizer_id"); err != nil {
		return UpdateVettedPackagesResponse{}, err
	}
	if err := checkSerial(body.ExpectedTopologySerial); err != nil {
		return UpdateVettedPackagesResponse{}, err
	}
	known := a.packages.List() // once: there may be thousands of references
	for _, change := range body.Changes {
		if err := a.checkVettingChange(change, known); err != nil {
			return UpdateVettedPackagesResponse{}, err
		}
	}
	vetted := a.vettedPackages(PackageMetadataFilter{})
	return UpdateVettedPackagesResponse{PastVettedPackages: &vetted, NewVettedPackages: &vetted}, nil
}

func (a *API) checkVettingChange(change VettedPackagesChange, known []ledger.Package) error {
	const always = "built-in packages are always vetted"
	switch operation := change.Operation; {
	case operation != nil && operation.Vet != nil:
		vet := operation.Vet.Value
		for _, reference := range vet.Packages {
			if _, err := a.packageReferredTo(reference, known); err != nil {
				return err
			}
		}
		if vet.NewValidFromInclusive != nil || vet.NewValidUntilExclusive != nil {
			return fault.InvalidArgumentf("vetting cannot be bounded in time: %s", always).
				WithHint("Leave newValidFromInclusive and newValidUntilExclusive out.")
		}
		return nil
	case operation != nil && operation.Unvet != nil:
		if len(operation.Unvet.Value.Packages) == 0 {
			return nil
		}
		pkg, err := a.packageReferredTo(operation.Unvet.Value.Packages[0], known)
		if err != nil {
			return err
		}
		return fault.InvalidArgumentf("package %s (%s %s) cannot be unvetted: %s", pkg.ID, pkg.Name, pkg.Version, always)
	default:
		return fault.InvalidArgumentf("a change has no operation: name Vet or Unvet")
	}
}

// packageReferredTo finds the one built-in package that fits everything that is given.
func (a *API) packageReferredTo(reference VettedPackageReference, known []ledger.Package) (ledger.Package, error) {
	if reference == (VettedPackageReference{}) {
		return ledger.Package{}, fault.InvalidArgumentf("a package reference is empty: give an id, a name or a version")
	}
	byID := a.packages.PackageName(lf.PackageID(reference.PackageID))
	var found []ledger.Package
	for _, pkg := range known {
		if (reference.PackageID == "" || byID != "" && byID == pkg.Name) &&
			(reference.PackageName == "" || reference.PackageName == pkg.Name) &&
			(reference.PackageVersion == "" || reference.PackageVersion == pkg.Version) {
			found = append(found, pkg)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return ledger.Package{}, fault.UnresolvedVettingReference.New("No package has the id %q, the name %q and the "+
			"version %q", fault.Shorten(reference.PackageID), fault.Shorten(reference.PackageName),
			fault.Shorten(reference.PackageVersion)).
			WithHint("POST /v2/package-vetting/list lists the packages; no others can be added.")
	default:
		return ledger.Package{}, fault.AmbiguousVettingReference.New("%d packages have the name %q and the version %q",
			len(found), fault.Shorten(reference.PackageName), fault.Shorten(reference.PackageVersion))
	}
}

func checkSerial(expected *ExpectedTopologySerial) error {
	if expected == nil || expected.Serial == nil || expected.Serial.Empty != nil {
		return nil
	}
	if expected.Serial.NoPrior != nil {
		return fault.TopologySerialMismatch.New("No prior serial was expected, but the serial is %d", vettingSerial)
	}
	if given := expected.Serial.Prior.Value; given != vettingSerial {
		return fault.TopologySerialMismatch.New("The serial %d was expected, but it is %d", given, vettingSerial)
	}
	return nil
}
