package packages

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

const tagPackages = "Packages"

// uploadDescription describes uploads.
const uploadDescription = "The upload adds the missing packages of the archive to the ledger, all of them or none, " +
	"at one offset. A repeated upload changes nothing, nor does an archive whose main package is built in. Other " +
	"packages cannot use the names of built-in packages."

// Endpoints lists the endpoints of packages and of preferred packages.
func (a *API) Endpoints() []endpoint.Endpoint {
	return append([]endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages", OperationID: "getV2Packages", Tag: tagPackages,
			Summary: "List the ids of all packages.", Access: endpoint.Public,
		}, a.listPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages/{package-id}", OperationID: "getV2PackagesPackage-id",
			Tag: tagPackages, Summary: "Download a package.", Access: endpoint.Public,
			Description: "The answer is the package in Daml-LF; its SHA-256 is its id. It has the header " +
				"Canton-Package-Hash. For built-in packages without an upload the answer is PACKAGE_NOT_FOUND.",
			Bodies: []endpoint.Body{endpoint.BinaryBody()},
		}, a.getPackage),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/packages/{package-id}/status",
			OperationID: "getV2PackagesPackage-idStatus", Tag: tagPackages,
			Summary: "Get the status of a package.", Access: endpoint.Public,
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
			Summary: "Check a Daml archive without uploading it.", Access: endpoint.Admin, Description: validateDescription,
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
			Tag: tagPackages, Summary: "Change the vetted packages.", Access: endpoint.Admin,
			Description: "Commands can use only vetted packages; contracts of other packages do not change. Built-in " +
				"packages are always vetted, and a change to them is refused.",
		}, a.updateVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/package-vetting", OperationID: "getV2Package-vetting", Tag: tagPackages,
			Summary: "List the vetted packages; older name.", Access: endpoint.Public, Deprecated: true,
		}, a.listVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/package-vetting", OperationID: "postV2Package-vetting",
			Tag: tagPackages, Summary: "Change the vetted packages; older name.", Access: endpoint.Admin,
			Deprecated: true,
		}, a.updateVettedPackages),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/interactive-submission/preferred-package-version",
			OperationID: "getV2Interactive-submissionPreferred-package-version", Tag: tagPackages,
			Summary: "Get the preferred package of a name.", Access: endpoint.Public, Deprecated: true,
		}, a.preferredPackageVersion),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/preferred-packages", Reads: true,
			OperationID: "postV2Interactive-submissionPreferred-packages", Tag: tagPackages,
			Summary: "Get the preferred packages of names.", Access: endpoint.Public,
		}, a.preferredPackages),
	}
}
