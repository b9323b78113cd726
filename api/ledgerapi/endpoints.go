package ledgerapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags that group operations in the document.
const (
	tagCommands = "Commands"
	tagUpdates  = "Updates"
	tagUsers    = "Users"
	tagParties  = "Parties"
	tagState    = "State"
	tagVersion  = "Version"
)

// Rights in words, for the document.
const (
	rightsSubmit      = "to act as each actAs party and to read as each readAs party, with the token's user"
	rightsRead        = "to read as each party of the format; CanReadAsAnyParty for all parties"
	rightsCompletions = "to read as each party, with the token's user"
	rightsIDPAdmin    = "ParticipantAdmin, or IdentityProviderAdmin of the identity provider"
	rightsSelf        = "ParticipantAdmin, IdentityProviderAdmin of the identity provider, or being the user"
)

// Endpoints lists the whole family.
func (a *API) Endpoints() []endpoint.Endpoint {
	var all []endpoint.Endpoint
	all = append(all, a.commandEndpoints()...)
	all = append(all, a.interactiveEndpoints()...)
	all = append(all, a.updateEndpoints()...)
	all = append(all, a.readingEndpoints()...)
	all = append(all, a.olderEndpoints()...)
	all = append(all, a.otherNames()...)
	all = append(all, a.userEndpoints()...)
	all = append(all, a.partyEndpoints()...)
	all = append(all, a.externalPartyEndpoints()...)
	all = append(all, a.adminEndpoints()...)
	return append(all, a.stateEndpoints()...)
}

func (a *API) commandEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/async/submit", OperationID: "postV2CommandsAsyncSubmit",
			Tag: tagCommands, Summary: "Submit a composite command and do not wait.", Rights: rightsSubmit,
			Description: "The answer means that exactly one completion will follow.",
		}, a.submit),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait", OperationID: "postV2CommandsSubmit-and-wait",
			Tag: tagCommands, Summary: "Submit a composite command and wait for its outcome.", Rights: rightsSubmit,
		}, a.submitAndWait),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait-for-transaction",
			OperationID: "postV2CommandsSubmit-and-wait-for-transaction", Tag: tagCommands,
			Summary: "Submit a composite command and wait for its transaction.",
			Rights:  rightsSubmit + ", and " + rightsRead,
		}, a.submitAndWaitForTransaction),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/completions", Reads: true, OperationID: "postV2CommandsCompletions",
			Tag: tagCommands, Summary: "Query completions (blocking, for small results).",
			Description: "Returns what is there, and what comes before no element came for stream_idle_timeout_ms. " +
				"More than the server's limit of elements are refused with 413.",
			Rights: rightsCompletions,
		}, a.completions),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/completion-by-hash", Reads: true,
			OperationID: "postV2CommandsCompletion-by-hash", Tag: tagCommands,
			Summary: "Get the completions of a transaction by the hash that was signed for it outside the node.",
			Description: "Of version 3.6. The accepted completion, and the last ten refused ones, as far as one of their " +
				"acting parties is one that the caller may read as.",
			Rights: "a user of this node",
		}, a.completionByHash),
	}
}

func (a *API) updateEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/state/active-contracts", Reads: true, OperationID: "postV2StateActive-contracts",
			Tag: tagState, Summary: "Query active contracts (blocking, for small results).", Rights: rightsRead,
			Description: "More than the server's limit of elements are refused with 413.",
		}, a.activeContracts),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates", Reads: true, OperationID: "postV2Updates", Tag: tagUpdates,
			Summary: "Query updates (blocking, for small results).", Rights: rightsRead,
			Description: "More than the server's limit of elements are refused with 413.",
		}, a.updates),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/flats", Reads: true, OperationID: "postV2UpdatesFlats", Tag: tagUpdates,
			Summary: "Query transactions; older name of /v2/updates.", Rights: rightsRead, Deprecated: true,
		}, a.updates),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/update-by-offset", Reads: true,
			OperationID: "postV2UpdatesUpdate-by-offset",
			Tag:         tagUpdates, Summary: "Get the update at an offset.", Rights: rightsRead,
		}, a.updateByOffset),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/update-by-id", Reads: true, OperationID: "postV2UpdatesUpdate-by-id",
			Tag: tagUpdates, Summary: "Get an update by its id.", Rights: rightsRead,
		}, a.updateByID),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/update-by-hash", Reads: true, OperationID: "postV2UpdatesUpdate-by-hash",
			Tag: tagUpdates, Summary: "Get an update by the hash that was signed for it outside the node.", Rights: rightsRead,
			Description: "Of version 3.6.",
		}, a.updateByHash),
	}
}

func (a *API) userEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/users", OperationID: "postV2Users", Tag: tagUsers,
			Summary: "Create a user.", Rights: rightsIDPAdmin +
				"; only ParticipantAdmin can hand out itself, CanActAsAnyParty, CanReadAsAnyParty and CanExecuteAsAnyParty",
		}, a.createUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users", OperationID: "getV2Users", Tag: tagUsers,
			Summary: "List all users, page by page.", Rights: rightsIDPAdmin,
		}, a.listUsers),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users/{user-id}", OperationID: "getV2UsersUser-id", Tag: tagUsers,
			Summary: "Get a user.", Rights: rightsSelf,
		}, a.getUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/authenticated-user", OperationID: "getV2Authenticated-user",
			Tag: tagUsers, Summary: "Get the user of the token.", Rights: "any authenticated user",
		}, a.authenticatedUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users/{user-id}/rights", OperationID: "getV2UsersUser-idRights",
			Tag: tagUsers, Summary: "List the rights of a user.", Rights: rightsSelf,
		}, a.listUserRights),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/users/{user-id}/rights", OperationID: "postV2UsersUser-idRights",
			Tag: tagUsers, Summary: "Grant rights to a user.", Rights: rightsIDPAdmin,
			Description: "Idempotent: rights that the user has are ignored.",
		}, a.grantUserRights),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/users/{user-id}/rights", OperationID: "patchV2UsersUser-idRights",
			Tag: tagUsers, Summary: "Revoke rights of a user.", Rights: rightsIDPAdmin,
			Description: "Idempotent: rights that the user does not have are ignored.",
		}, a.revokeUserRights),
	}
}

func (a *API) partyEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/parties", OperationID: "postV2Parties", Tag: tagParties,
			Summary: "Allocate a party on this node.",
			Rights: rightsIDPAdmin + ", or being the user named in userId, within the number of parties that users may " +
				"allocate for themselves",
		}, a.allocateParty),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties", OperationID: "getV2Parties", Tag: tagParties,
			Summary: "List the known parties, page by page.", Rights: rightsIDPAdmin,
		}, a.listParties),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/participant-id", OperationID: "getV2PartiesParticipant-id",
			Tag: tagParties, Summary: "Get the id of the participant.", Access: endpoint.Public,
		}, a.participantID),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/parties/{party}", OperationID: "getV2PartiesParty", Tag: tagParties,
			Summary: "Get details of parties.", Rights: rightsIDPAdmin + ", or to act, read or execute as each party",
			Description: "Parties that are not known are left out of the answer.",
		}, a.getParties),
	}
}

func (a *API) stateEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/state/ledger-end", OperationID: "getV2StateLedger-end", Tag: tagState,
			Summary: "Get the current ledger end.", Access: endpoint.Public,
		}, a.ledgerEnd),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/state/latest-pruned-offsets",
			OperationID: "getV2StateLatest-pruned-offsets", Tag: tagState,
			Summary: "Get the offsets up to which the record was pruned.", Access: endpoint.Public,
		}, a.latestPrunedOffsets),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/state/connected-synchronizers",
			OperationID: "getV2StateConnected-synchronizers", Tag: tagState,
			Summary: "List the synchronizers that the participant is connected to.",
			Rights:  "any authenticated user; with a party, " + rightsIDPAdmin + " or to act, read or execute as it",
		}, a.connectedSynchronizers),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/version", OperationID: "getV2Version", Tag: tagVersion,
			Summary: "Get the version and the features of the API.", Access: endpoint.Open,
		}, a.version),
	}
}
