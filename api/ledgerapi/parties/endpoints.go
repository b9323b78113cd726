package parties

import (
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
)

const tagParties = "Parties"

// Endpoints lists the endpoints of parties and of their hosts.
func (a *API) Endpoints() []endpoint.Endpoint {
	return slices.Concat(a.localEndpoints(), a.externalEndpoints())
}

func (a *API) localEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties", OperationID: "postV2Parties", Tag: tagParties,
			Summary: "Allocate a party on this node.",
			Rights: v2.RightsIDPAdmin + ", or to be the user in userId, within the number of parties that users may " +
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
			Description: "The answer leaves out unknown parties.",
		}, a.getParties),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/parties/{party}", OperationID: "patchV2PartiesParty", Tag: tagParties,
			Summary: "Change the annotations of a party.", Rights: v2.RightsIDPAdmin,
			Description: "Only annotations can change. New ones are merged; an empty value deletes its key.",
		}, a.updateParty),
	}
}

// externalEndpoints are the endpoints of external parties.
func (a *API) externalEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties/external/generate-topology", Reads: true,
			OperationID: "postV2PartiesExternalGenerate-topology", Tag: tagParties, Access: endpoint.Public,
			Summary:     "Generate the topology transactions of an external party.",
			Description: "Stores nothing. The key holder signs multiHash and sends everything to allocate.",
		}, a.generateTopology),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties/external/allocate",
			OperationID: "postV2PartiesExternalAllocate", Tag: tagParties,
			Summary: "Allocate an external party.",
			Description: "With one host, the answer comes when the party is ready. With several, it comes at once, and the " +
				"party is ready when all hosts agree. More requests with the same transactions add signatures; " +
				"GET /v2/parties/external/{party}/onboarding lists what is missing.",
			Rights: v2.RightsIDPAdmin + ", or to be the user in userId, within the number of parties that users may " +
				"allocate for themselves",
		}, a.allocateExternal),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/external/{party}/onboarding",
			OperationID: "getV2PartiesExternalPartyOnboarding", Tag: tagParties,
			Summary: "Get the onboarding of an external party.",
			Description: "Only this node has this endpoint. onboardingTransactions is its agreement to host the party: the " +
				"other hosts accept it in a request to allocate.",
			Rights: v2.RightsIDPAdmin + ", or to act, read or execute as the party",
		}, a.partyOnboarding),
	}
}
