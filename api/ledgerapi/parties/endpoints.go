package parties

import (
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
)

const tagParties = "Parties"

// Endpoints lists what concerns parties and who hosts them.
func (a *API) Endpoints() []endpoint.Endpoint {
	return slices.Concat(a.localEndpoints(), a.externalEndpoints())
}

func (a *API) localEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties", OperationID: "postV2Parties", Tag: tagParties,
			Summary: "Allocate a party on this node.",
			Rights: v2.RightsIDPAdmin + ", or being the user named in userId, within the number of parties that users may " +
				"allocate for themselves",
		}, a.allocateParty),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties", OperationID: "getV2Parties", Tag: tagParties,
			Summary: "List the known parties, page by page.", Rights: v2.RightsIDPAdmin,
		}, a.listParties),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/participant-id", OperationID: "getV2PartiesParticipant-id",
			Tag: tagParties, Summary: "Get the id of the participant.", Access: endpoint.Public,
		}, a.participantID),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/{party}", OperationID: "getV2PartiesParty", Tag: tagParties,
			Summary: "Get details of parties.", Rights: v2.RightsIDPAdmin + ", or to act, read or execute as each party",
			Description: "Parties that are not known are left out of the answer.",
		}, a.getParties),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/parties/{party}", OperationID: "patchV2PartiesParty", Tag: tagParties,
			Summary: "Change what this node keeps of a party.", Rights: v2.RightsIDPAdmin,
			Description: "Only annotations can change. They are merged: an empty value deletes its key.",
		}, a.updateParty),
	}
}

// externalEndpoints make parties that sign for themselves.
func (a *API) externalEndpoints() []endpoint.Endpoint {
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
			Rights: v2.RightsIDPAdmin + ", or being the user named in userId, within the number of parties that users may " +
				"allocate for themselves",
		}, a.allocateExternal),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/external/{party}/onboarding",
			OperationID: "getV2PartiesExternalPartyOnboarding", Tag: tagParties,
			Summary: "Get how far the onboarding of an external party has come.",
			Description: "An addition of this node. onboardingTransactions is this node's agreement to host the party: the " +
				"other hosts take it in a request to allocate.",
			Rights: v2.RightsIDPAdmin + ", or to act, read or execute as the party",
		}, a.partyOnboarding),
	}
}
