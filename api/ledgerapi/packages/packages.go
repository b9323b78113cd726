package packages

import (
	"context"
	"net/http"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/catalog"
)

// ListPackagesResponse lists the packages.
type ListPackagesResponse struct {
	PackageIDs []string `json:"packageIds" required:"true" doc:"All ids that commands and filters can use"`
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
	SynchronizerID string `query:"synchronizerId" doc:"Optional: there is only one"`
	VetAllPackages *bool  `query:"vetAllPackages" doc:"Whether commands may use the packages; default true"`
	DAR            []byte `body:"bytes" doc:"The archive"`
}

func (a *API) listPackages(ctx context.Context, _ endpoint.NoRequest) (ListPackagesResponse, error) {
	var response ListPackagesResponse
	list, err := a.catalog.List(ctx)
	if err != nil {
		return response, err
	}
	listed := map[lf.PackageID]bool{}
	for _, pkg := range list.Packages {
		for _, id := range append([]lf.PackageID{pkg.ID}, pkg.OtherIDs...) {
			if !listed[id] {
				listed[id] = true
				response.PackageIDs = append(response.PackageIDs, string(id))
			}
		}
	}
	return response, nil
}

// getPackage sends an uploaded package, and explains why it cannot send others.
func (a *API) getPackage(ctx context.Context, req packagePath) (endpoint.Content, error) {
	if err := checkPathPackage(req.PackageID); err != nil {
		return endpoint.Content{}, err
	}
	payload, uploaded, err := a.catalog.Payload(ctx, lf.PackageID(req.PackageID))
	if err != nil {
		return endpoint.Content{}, err
	}
	if uploaded {
		header := http.Header{"Canton-Package-Hash": {req.PackageID}}
		return endpoint.BinaryContent(payload, header), nil
	}
	list, err := a.catalog.List(ctx)
	if err != nil {
		return endpoint.Content{}, err
	}
	pkg, known := list.Find(lf.PackageID(req.PackageID))
	if !known {
		return endpoint.Content{}, fault.PackageNotFound.New("Could not find package %s", req.PackageID).
			WithResource("PACKAGE", req.PackageID)
	}
	return endpoint.Content{}, fault.PackageNotFound.New(
		"Package %s (%s %s) is built into this node and has no archive to download", req.PackageID, pkg.Name, pkg.Version).
		WithResource("PACKAGE", req.PackageID).
		WithHint("Upload the published DAR file with it to this node. Commands can use the package without it.")
}

func (a *API) packageStatus(ctx context.Context, req packagePath) (GetPackageStatusResponse, error) {
	if err := checkPathPackage(req.PackageID); err != nil {
		return GetPackageStatusResponse{}, err
	}
	list, err := a.catalog.List(ctx)
	if err != nil {
		return GetPackageStatusResponse{}, err
	}
	if _, known := list.Find(lf.PackageID(req.PackageID)); known {
		return GetPackageStatusResponse{PackageStatus: PackageRegistered}, nil
	}
	return GetPackageStatusResponse{PackageStatus: PackageUnspecified}, nil
}

func (a *API) uploadDAR(ctx context.Context, req uploadRequest) (endpoint.Empty, error) {
	if err := a.node.CheckSynchronizer(req.SynchronizerID, "synchronizer_id"); err != nil {
		return endpoint.Empty{}, err
	}
	vet := req.VetAllPackages == nil || *req.VetAllPackages
	return endpoint.Empty{}, a.catalog.Upload(ctx, req.DAR, vet, requestOf(ctx))
}

// requestOf has the caller of a change.
func requestOf(ctx context.Context) catalog.Request {
	return catalog.Request{By: ledger.IdentityText(endpoint.Claims(ctx).Identity()), Trace: endpoint.Trace(ctx)}
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
