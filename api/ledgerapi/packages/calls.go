package packages

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

// GetPackageResponse is a package in Daml-LF.
type GetPackageResponse struct {
	HashFunction   HashFunction   `json:"hashFunction" doc:"Function of the hash"`
	ArchivePayload endpoint.Bytes `json:"archivePayload" doc:"The package"`
	Hash           string         `json:"hash" doc:"Hash of the package, which is its id"`
}

// HashFunction names the hash function of package ids.
type HashFunction string

// SHA256 is the function of all packages.
const SHA256 HashFunction = "HASH_FUNCTION_SHA256"

// ListKnownPackagesResponse lists packages.
type ListKnownPackagesResponse struct {
	PackageDetails []PackageDetails `json:"packageDetails" doc:"The packages, built-in ones first"`
}

// PackageDetails describe a package.
type PackageDetails struct {
	PackageID   string              `json:"packageId" doc:"Its id"`
	PackageSize int64               `json:"packageSize" doc:"Bytes of its Daml-LF; 0 for a built-in package"`
	KnownSince  *endpoint.Timestamp `json:"knownSince" doc:"Time of the upload; null for a built-in package"`
	Name        string              `json:"name" doc:"Its name"`
	Version     string              `json:"version" doc:"Its version"`
}

// GRPCEndpoints are the operations that only the gRPC API has, or has in another form.
func (a *API) GRPCEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callGetPackage", Tag: tagPackages, Summary: "Get a package.",
			Access: endpoint.Public,
		}, a.getPackageMessage),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callListPackages", Tag: tagPackages,
			Summary: "List the packages that GetPackage has.", Access: endpoint.Public,
		}, a.listArchives),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callListKnownPackages", Tag: tagPackages,
			Summary: "List the packages with their sizes.", Access: endpoint.Admin,
		}, a.listKnownPackages),
	}
}

func (a *API) getPackageMessage(ctx context.Context, req packagePath) (GetPackageResponse, error) {
	content, err := a.getPackage(ctx, req)
	return GetPackageResponse{HashFunction: SHA256, ArchivePayload: content.Body, Hash: req.PackageID}, err
}

// listArchives leaves out the built-in packages, which have no archive: a client of the field fetches each package of the
// list, and waits for ever for one that it cannot get.
func (a *API) listArchives(ctx context.Context, _ endpoint.NoRequest) (ListPackagesResponse, error) {
	list, err := a.catalog.List(ctx)
	return ListPackagesResponse{PackageIDs: ledger.Strings(list.Archives)}, err
}

func (a *API) listKnownPackages(ctx context.Context, _ endpoint.NoRequest) (ListKnownPackagesResponse, error) {
	list, err := a.catalog.List(ctx)
	if err != nil {
		return ListKnownPackagesResponse{}, err
	}
	var out ListKnownPackagesResponse
	for _, pkg := range list.Packages {
		details := PackageDetails{
			PackageID: string(pkg.ID), PackageSize: pkg.Bytes, Name: pkg.Name, Version: pkg.Version,
		}
		if !pkg.UploadedAt.IsZero() {
			details.KnownSince = new(endpoint.Timestamp(pkg.UploadedAt))
		}
		out.PackageDetails = append(out.PackageDetails, details)
	}
	return out, nil
}
