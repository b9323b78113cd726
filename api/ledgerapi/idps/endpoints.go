package idps

import (
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
)

const tagIdentityProviders = "Identity providers"

// Endpoints lists the endpoints of identity providers, under both of their names.
func (a *API) Endpoints() []endpoint.Endpoint {
	endpoints := []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/idps", OperationID: "postV2Idps", Tag: tagIdentityProviders,
			Summary: "Create an identity provider.", Access: endpoint.Admin,
			Description: "From then on, the node verifies tokens of its issuer with its keys.",
		}, a.createIdentityProvider),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/idps", OperationID: "getV2Idps", Tag: tagIdentityProviders,
			Summary: "List the identity providers.", Access: endpoint.Admin,
		}, a.listIdentityProviders),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/idps/{idp-id}", OperationID: "getV2IdpsIdp-id",
			Tag: tagIdentityProviders, Summary: "Get an identity provider.", Access: endpoint.Admin,
		}, a.getIdentityProvider),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/idps/{idp-id}", OperationID: "patchV2IdpsIdp-id",
			Tag: tagIdentityProviders, Summary: "Change an identity provider.", Access: endpoint.Admin,
		}, a.updateIdentityProvider),
		endpoint.New(endpoint.Info{
			Method: http.MethodDelete, Path: "/v2/idps/{idp-id}", OperationID: "deleteV2IdpsIdp-id",
			Tag: tagIdentityProviders, Summary: "Delete an identity provider that has neither users nor parties.",
			Access: endpoint.Admin,
		}, a.deleteIdentityProvider),
	}
	for _, other := range slices.Clone(endpoints) { // the name of some clients
		other.Path = strings.Replace(other.Path, "/v2/idps", "/v2/identity-provider-configs", 1)
		other.Undocumented = true
		endpoints = append(endpoints, other)
	}
	return endpoints
}
