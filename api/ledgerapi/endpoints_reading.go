package ledgerapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

const (
	tagEvents    = "Events"
	tagContracts = "Contracts"
)

// readingEndpoints read the record in pages and look up contracts.
func (a *API) readingEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/state/active-contracts-page",
			OperationID: "getV2StateActive-contracts-page", Tag: tagState,
			Summary: "Query active contracts page by page.", Rights: rightsRead,
			Description: "All pages show the same offset. The body belongs to the GET request.",
		}, a.activeContractsPage),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/get-updates-page", Reads: true,
			OperationID: "postV2UpdatesGet-updates-page",
			Tag:         tagUpdates, Summary: "Query updates page by page.", Rights: rightsRead,
			Description: "A page that is not the last may have fewer updates than maxPageSize, or none.",
		}, a.updatesPage),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/events/events-by-contract-id", Reads: true,
			OperationID: "postV2EventsEvents-by-contract-id", Tag: tagEvents,
			Summary: "Get the created and the archived event of a contract.", Rights: rightsRead,
		}, a.eventsByContractID),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/contracts/contract-by-id", Reads: true,
			OperationID: "postV2ContractsContract-by-id",
			Tag:         tagContracts, Summary: "Get a contract.",
			Rights: "to read as each querying party; CanReadAsAnyParty without one",
		}, a.contractByID),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/participant-pruning/prune", OperationID: "postV2Participant-pruningPrune",
			Tag: tagState, Summary: "Prune the record up to an offset.", Access: endpoint.Admin,
			Description: "Only this node has this endpoint. It deletes updates, completions and archived contracts up to the " +
				"offset. Active contracts and the data for deduplication stay.",
		}, a.prune),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/async/submit-reassignment",
			OperationID: "postV2CommandsAsyncSubmit-reassignment", Tag: tagCommands,
			Summary: "Submit reassignment commands and do not wait.", Rights: rightsReassign,
			Description: descriptionReassign,
		}, a.submitReassignment), a.submitReassignment),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait-for-reassignment",
			OperationID: "postV2CommandsSubmit-and-wait-for-reassignment", Tag: tagCommands,
			Summary: "Submit reassignment commands and wait for the reassignment.", Rights: rightsReassign,
			Description: descriptionReassign,
		}, a.submitAndWaitForReassignment), a.submitAndWaitForReassignment),
	}
}

const (
	rightsReassign      = "to act as the submitter, with the token's user"
	descriptionReassign = "Always refused: this node has only one synchronizer, so a contract cannot move."
)

// laterEndpoints replace some endpoints in later versions, so that clients of those work too.
func (a *API) laterEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/state/active-contracts-page", Reads: true,
			OperationID: "postV2StateActive-contracts-page", Tag: tagState, Undocumented: true,
			Summary: "Query active contracts page by page.", Rights: rightsRead,
		}, a.activeContractsPage),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/command-completions", Reads: true,
			OperationID: "postV2CommandsCommand-completions", Tag: tagCommands,
			Summary: "Query the completions of all users (blocking, for small results).", Rights: rightsCommandCompletions,
		}, a.commandCompletions),
	}
}

// olderEndpoints serve clients of older versions.
func (a *API) olderEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/commands/submit-and-wait-for-transaction-tree",
			OperationID: "postV2CommandsSubmit-and-wait-for-transaction-tree", Tag: tagCommands, Deprecated: true,
			Summary: "Submit a composite command and wait for its transaction tree.", Rights: rightsSubmit,
			AsParty:     ledger.CanActAs,
			Description: "Use /v2/commands/submit-and-wait-for-transaction with TRANSACTION_SHAPE_LEDGER_EFFECTS.",
		}, a.submitAndWaitForTree), a.dryRunSubmitForTree),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/trees", Reads: true, OperationID: "postV2UpdatesTrees", Tag: tagUpdates,
			Summary: "Query transaction trees (blocking, for small results).", Rights: rightsRead, Deprecated: true,
			Description: "Use /v2/updates with TRANSACTION_SHAPE_LEDGER_EFFECTS.",
		}, a.updateTrees),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/transaction-by-offset", Reads: true,
			OperationID: "postV2UpdatesTransaction-by-offset", Tag: tagUpdates, Deprecated: true,
			Summary: "Get the transaction at an offset.", Rights: rightsRead,
			Description: "Use /v2/updates/update-by-offset.",
		}, a.transactionByOffset),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/updates/transaction-by-id", Reads: true,
			OperationID: "postV2UpdatesTransaction-by-id", Tag: tagUpdates, Deprecated: true,
			Summary: "Get a transaction by its id.", Rights: rightsRead, Description: "Use /v2/updates/update-by-id.",
		}, a.transactionByID),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/updates/transaction-tree-by-offset/{offset}",
			OperationID: "getV2UpdatesTransaction-tree-by-offsetOffset", Tag: tagUpdates, Deprecated: true,
			Summary: "Get the transaction tree at an offset.", Rights: "to read as each party",
			Description: "Use /v2/updates/update-by-offset.",
		}, a.treeByOffset),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/updates/transaction-tree-by-id/{update-id}",
			OperationID: "getV2UpdatesTransaction-tree-by-idUpdate-id", Tag: tagUpdates, Deprecated: true,
			Summary: "Get a transaction tree by its id.", Rights: "to read as each party",
			Description: "Use /v2/updates/update-by-id.",
		}, a.treeByID),
	}
}
