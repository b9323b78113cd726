package packages

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

const tagPackages = "Packages"

// uploadDescription says what uploads do.
const uploadDescription = "The packages of the archive that the ledger lacks are added to it, all of them or none, " +
	"at an offset of their own. Sending an archive again changes nothing, and so does one whose main package is built " +
	"in. Names of built-in packages are not for others."

// Endpoints lists what concerns packages and which of them are preferred.
func (a *API) Endpoints() []endpoint.Endpoint {
	return append([]endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages", OperationID: "getV2Packages", Tag: tagPackages,
			Summary: "List the ids of all packages.", Access: endpoint.Public,
		}, a.listPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages/{package-id}", OperationID: "getV2PackagesPackage-id",
			Tag: tagPackages, Summary: "Download a package.", Access: endpoint.Public,
			Description: "The answer is the package in Daml-LF, whose SHA-256 is its id, and has the header " +
				"Canton-Package-Hash. Packages that are built in and were never part of an upload are PACKAGE_NOT_FOUND.",
			Bodies: []endpoint.Body{endpoint.BinaryBody()},
		}, a.getPackage),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages/{package-id}/status",
			OperationID: "getV2PackagesPackage-idStatus", Tag: tagPackages,
			Summary: "Tell whether a package can be used.", Access: endpoint.Public,
		}, a.packageStatus),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/packages", OperationID: "postV2Packages", Tag: tagPackages,
			Summary: "Upload a Daml archive; older name of /v2/dars.", Access: endpoint.Admin,
			Description: uploadDescription,
		}, a.uploadDAR),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/dars", OperationID: "postV2Dars", Tag: tagPackages,
			Summary: "Upload a Daml archive.", Access: endpoint.Admin, Description: uploadDescription,
		}, a.uploadDAR),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/dars/validate", Reads: true, OperationID: "postV2DarsValidate", Tag: tagPackages,
			Summary: "Check a Daml archive as an upload would.", Access: endpoint.Admin, Description: uploadDescription,
		}, a.validateDAR),
	}, a.vettingEndpoints()...)
}

func (a *API) vettingEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/package-vetting/list", Reads: true, OperationID: "postV2Package-vettingList",
			Tag: tagPackages, Summary: "List the vetted packages.", Access: endpoint.Public,
		}, a.listVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/package-vetting/update", OperationID: "postV2Package-vettingUpdate",
			Tag: tagPackages, Summary: "Change which packages are vetted.", Access: endpoint.Admin,
			Description: "Commands can use the packages that are vetted; contracts of others stay as they are. Built-in " +
				"packages are always vetted: changes that would change that are refused.",
		}, a.updateVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/package-vetting", OperationID: "getV2Package-vetting", Tag: tagPackages,
			Summary: "List the vetted packages; older name.", Access: endpoint.Public, Deprecated: true,
		}, a.listVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/package-vetting", OperationID: "postV2Package-vetting",
			Tag: tagPackages, Summary: "Change which packages are vetted; older name.", Access: endpoint.Admin,
			Deprecated: true,
		}, a.updateVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/interactive-submission/preferred-package-version",
			OperationID: "getV2Interactive-submissionPreferred-package-version", Tag: tagPackages,
			Summary: "Tell which package is used for a name.", Access: endpoint.Public, Deprecated: true,
		}, a.preferredPackageVersion),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/preferred-packages", Reads: true,
			OperationID: "postV2Interactive-submissionPreferred-packages", Tag: tagPackages,
			Summary: "Tell which packages are used for names.", Access: endpoint.Public,
		}, a.preferredPackages),
	}
}
