package ledgerapi

import (
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
)

// The tags that group operations in the document.
const (
	tagCommands = "Commands"
	tagUpdates  = "Updates"
	tagState    = "State"
	tagVersion  = "Version"
)

// Rights in words, for the document.
const (
	rightsSubmit      = "to act as each actAs party and to read as each readAs party, with the token's user"
	rightsRead        = "to read as each party of the format; CanReadAsAnyParty for all parties"
	rightsCompletions = "to read as each party, with the token's user"

	rightsCommandCompletions = "to read as each party; CanReadAsAnyParty for all parties"
)

// Endpoints lists the whole family.
func (a *API) Endpoints() []endpoint.Endpoint {
	var all []endpoint.Endpoint
	all = append(all, a.commandEndpoints()...)
	all = append(all, a.interactiveEndpoints()...)
	all = append(all, a.updateEndpoints()...)
	all = append(all, a.readingEndpoints()...)
	all = append(all, a.olderEndpoints()...)
	all = append(all, a.laterEndpoints()...)
	all = append(all, a.users.Endpoints()...)
	all = append(all, a.parties.Endpoints()...)
	all = append(all, a.idps.Endpoints()...)
	all = append(all, a.packaged.Endpoints()...)
	return append(all, a.stateEndpoints()...)
}

// GRPCEndpoints lists the operations that only the gRPC API has, or has in another form than JSON.
func (a *API) GRPCEndpoints() []endpoint.Endpoint {
	return slices.Concat(a.users.GRPCEndpoints(), a.parties.GRPCEndpoints(), a.packaged.GRPCEndpoints())
}

func (a *API) commandEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/async/submit", OperationID: "postV2CommandsAsyncSubmit",
			Tag: tagCommands, Summary: "Submit a composite command and do not wait.", Rights: rightsSubmit,
			AsParty:     ledger.CanActAs,
			Description: "The answer means that exactly one completion will follow.",
		}, a.submit), a.dryRunSubmit),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait", OperationID: "postV2CommandsSubmit-and-wait",
			Tag: tagCommands, Summary: "Submit a composite command and wait for its outcome.", Rights: rightsSubmit,
			AsParty: ledger.CanActAs,
		}, a.submitAndWait), a.dryRunSubmit),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait-for-transaction",
			OperationID: "postV2CommandsSubmit-and-wait-for-transaction", Tag: tagCommands,
			Summary: "Submit a composite command and wait for its transaction.",
			Rights:  rightsSubmit + ", and " + rightsRead, AsParty: ledger.CanActAs,
		}, a.submitAndWaitForTransaction), a.dryRunSubmitForTransaction),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/completions", Reads: true, OperationID: "postV2CommandsCompletions",
			Tag: tagCommands, Summary: "Query completions (blocking, for small results).",
			Description: "Returns all current elements, then new ones until none arrives for stream_idle_timeout_ms. " +
				"A list longer than the server's limit gets 413.",
			Rights: rightsCompletions,
		}, a.completions),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/completion-by-hash", Reads: true,
			OperationID: "postV2CommandsCompletion-by-hash", Tag: tagCommands,
			Summary: "Get the completions of an externally signed transaction by its hash.",
			Description: "From version 3.6. The accepted completion and the last ten refused ones, if the caller may read " +
				"as one of their acting parties.",
			Rights: "a user of this node",
		}, a.completionByHash),
	}
}

func (a *API) updateEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/state/active-contracts", Reads: true, OperationID: "postV2StateActive-contracts",
			Tag: tagState, Summary: "Query active contracts (blocking, for small results).", Rights: rightsRead,
			Description: "A list longer than the server's limit gets 413.",
		}, a.activeContracts),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates", Reads: true, OperationID: "postV2Updates", Tag: tagUpdates,
			Summary: "Query updates (blocking, for small results).", Rights: rightsRead,
			Description: "A list longer than the server's limit gets 413.",
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
			Tag: tagUpdates, Summary: "Get the update of an externally signed transaction by its hash.", Rights: rightsRead,
			Description: "From version 3.6.",
		}, a.updateByHash),
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
			Summary: "Get the last pruned offsets.", Access: endpoint.Public,
		}, a.latestPrunedOffsets),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/state/connected-synchronizers",
			OperationID: "getV2StateConnected-synchronizers", Tag: tagState,
			Summary: "List the connected synchronizers of the participant.",
			Rights:  "any authenticated user; with a party, " + v2.RightsIDPAdmin + " or to act, read or execute as it",
		}, a.connectedSynchronizers),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/version", OperationID: "getV2Version", Tag: tagVersion,
			Summary: "Get the version and the features of the API.", Access: endpoint.Open,
		}, a.version),
	}
}
