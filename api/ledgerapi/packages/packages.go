package packages

import (
	"context"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/dar"
	"github.com/florinledger/florin/ledger/lf"
)

// The node has built-in packages and no others. They have the names and ids that upstream published, but no archive.

// ListPackagesResponse lists the packages.
type ListPackagesResponse struct {
	PackageIDs []string `json:"packageIds" required:"true" doc:"Every id that commands and filters may name"`
}

// PackageStatus reports whether a package can be used.
type PackageStatus string

// The states of packages.
const (
	PackageUnspecified PackageStatus = "PACKAGE_STATUS_UNSPECIFIED"
	PackageRegistered  PackageStatus = "PACKAGE_STATUS_REGISTERED"
)

// Names implements [endpoint.Enum].
func (PackageStatus) Names() []string {
	return []string{string(PackageUnspecified), string(PackageRegistered)}
}

// GetPackageStatusResponse reports whether a package can be used.
type GetPackageStatusResponse struct {
	PackageStatus PackageStatus `json:"packageStatus" required:"true" doc:"Unspecified for unknown packages"`
}

type packagePath struct {
	PackageID string `path:"package-id" doc:"The package"`
}

type uploadRequest struct {
	SynchronizerID string `query:"synchronizerId" doc:"May be left out: there is one"`
	VetAllPackages *bool  `query:"vetAllPackages" doc:"Without effect: built-in packages are vetted"`
	DAR            []byte `body:"bytes" doc:"The archive"`
}

type validateRequest struct {
	SynchronizerID string `query:"synchronizerId" doc:"May be left out: there is one"`
	DAR            []byte `body:"bytes" doc:"The archive"`
}

func (a *API) listPackages(context.Context, endpoint.NoRequest) (ListPackagesResponse, error) {
	var response ListPackagesResponse
	for _, pkg := range a.packages.List() {
		response.PackageIDs = append(response.PackageIDs, string(pkg.ID))
		response.PackageIDs = append(response.PackageIDs, ledger.Strings(pkg.OtherIDs)...)
	}
	return response, nil
}

// getPackage refuses in any case: what is built in has no archive that could be sent.
func (a *API) getPackage(_ context.Context, req packagePath) (endpoint.Content, error) {
	if err := checkPathPackage(req.PackageID); err != nil {
		return endpoint.Content{}, err
	}
	pkg, known := a.packageWithID(req.PackageID)
	if !known {
		return endpoint.Content{}, fault.PackageNotFound.New("Could not find package %s", req.PackageID).
			WithResource("PACKAGE", req.PackageID)
	}
	return endpoint.Content{}, fault.PackageNotFound.New(
		"Package %s (%s %s) is built into this node, so it has no archive to download", req.PackageID, pkg.Name, pkg.Version).
		WithResource("PACKAGE", req.PackageID).
		WithHint("Take the archive from whoever published the package; commands can name the package all the same.")
}

func (a *API) packageStatus(_ context.Context, req packagePath) (GetPackageStatusResponse, error) {
	if err := checkPathPackage(req.PackageID); err != nil {
		return GetPackageStatusResponse{}, err
	}
	if _, known := a.packageWithID(req.PackageID); known {
		return GetPackageStatusResponse{PackageStatus: PackageRegistered}, nil
	}
	return GetPackageStatusResponse{PackageStatus: PackageUnspecified}, nil
}

func (a *API) uploadDAR(_ context.Context, req uploadRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, a.checkDAR(req.SynchronizerID, req.DAR)
}

func (a *API) validateDAR(_ context.Context, req validateRequest) (endpoint.Content, error) {
	return endpoint.Content{}, a.checkDAR(req.SynchronizerID, req.DAR)
}

// checkDAR accepts archives of built-in packages, by the id of their main package or by its name and version: the
// package is there, and its upload changes nothing.
func (a *API) checkDAR(synchronizerID string, data []byte) error {
	if err := v2.CheckSynchronizer(a.node, synchronizerID, "synchronizer_id"); err != nil {
		return err
	}
	archive, err := dar.Read(data)
	if err != nil {
		return err
	}
	if _, known := a.packageWithID(archive.PackageID); known {
		return nil
	}
	for _, pkg := range a.packages.List() {
		switch {
		case pkg.Name != archive.Name:
		case pkg.Version == archive.Version:
			return nil
		default:
			return fault.DARValidationError.New("Florin runs built-in packages only: it has %s in version %s, not in the "+
				"version %s of the archive", pkg.Name, pkg.Version, archive.Version).
				WithHint("Use the built-in version: name the package #" + pkg.Name + " in commands and filters.")
		}
	}
	return fault.DARValidationError.New("Florin runs built-in packages only, and the main package of the archive, %s, is "+
		"none of them", fault.Shorten(archive.Path)).
		WithHint("GET /v2/packages lists the built-in packages; a package of your own needs another participant.")
}

// packageWithID finds a built-in package by its id, or by the id of another version that stands for it.
func (a *API) packageWithID(id string) (ledger.Package, bool) {
	name := a.packages.PackageName(lf.PackageID(id))
	for _, pkg := range a.packages.List() {
		if name != "" && pkg.Name == name {
			return pkg, true
		}
	}
	return ledger.Package{}, false
}

// packageNamed finds a built-in package by one of its names.
func (a *API) packageNamed(name string) (ledger.Package, bool) {
	id, known, refusal := a.packages.ResolvePackage(lf.PackageID("#"+name), nil)
	if refusal != nil || !known {
		return ledger.Package{}, false
	}
	return a.packageWithID(string(id))
}

func checkPathPackage(id string) error {
	if err := ledger.CheckPackageID(id); err != nil {
		return fault.InvalidFieldNamed("package_id", err.Error())
	}
	return nil
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
