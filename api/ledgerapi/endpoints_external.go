package ledgerapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// externalPartyEndpoints make parties that sign for themselves.
func (a *API) externalPartyEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties/external/generate-topology", Reads: true,
			OperationID: "postV2PartiesExternalGenerate-topology", Tag: tagParties, Access: endpoint.Public,
			Summary:     "Generate the topology transactions of an external party.",
			Description: "Nothing is stored. The holder of the key signs multiHash and sends all of it to allocate.",
		}, a.generateTopology),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties/external/allocate",
			OperationID: "postV2PartiesExternalAllocate", Tag: tagParties,
			Summary: "Allocate an external party.",
			Description: "With one host the answer comes when the party is ready. With several it comes at once: the party " +
				"is ready when all hosts have agreed. Further requests with the same transactions add signatures; " +
				"GET /v2/parties/external/{party}/onboarding tells what is missing.",
			Rights: rightsIDPAdmin + ", or being the user named in userId, within the number of parties that users may " +
				"allocate for themselves",
		}, a.allocateExternal),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/external/{party}/onboarding",
			OperationID: "getV2PartiesExternalPartyOnboarding", Tag: tagParties,
			Summary: "Get how far the onboarding of an external party has come.",
			Description: "An addition of this node. onboardingTransactions is this node's agreement to host the party: the " +
				"other hosts take it in a request to allocate.",
			Rights: rightsIDPAdmin + ", or to act, read or execute as the party",
		}, a.partyOnboarding),
	}
}
