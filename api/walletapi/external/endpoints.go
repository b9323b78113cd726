package external

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

const tag = "External parties"

// Endpoints lists the operator's endpoints for external parties.
func (a *API) Endpoints() []endpoint.Endpoint {
	const base = "/v0/admin/external-party"
	all := []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/topology/generate", OperationID: "generateExternalPartyTopology",
			Tag: tag, Reads: true,
			Summary: "Generate the topology transactions that create an external party, for signing.",
		}), a.generateTopology),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/topology/submit", OperationID: "submitExternalPartyTopology",
			Tag: tag, Summary: "Create an external party from signed topology transactions, and wait until it is ready.",
		}), a.submitTopology),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal", OperationID: "createExternalPartySetupProposal",
			Tag: tag, Summary: "Pay for a preapproval of an external party and propose it.",
		}), a.createSetupProposal),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: base + "/setup-proposal", OperationID: "listExternalPartySetupProposals",
			Tag: tag, Summary: "List the proposals that wait for acceptance.",
		}), a.listSetupProposals),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal/prepare-accept",
			OperationID: "prepareAcceptExternalPartySetupProposal", Tag: tag, Reads: true,
			Summary: "Prepare the acceptance of a proposal for signing.",
		}), a.prepareAccept),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal/submit-accept",
			OperationID: "submitAcceptExternalPartySetupProposal", Tag: tag,
			Summary: "Submit the signed acceptance of a proposal, and wait for it.",
		}), a.submitAccept),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: base + "/balance", OperationID: "getExternalPartyBalance", Tag: tag,
			Summary: "Get the balance of an external party.",
		}), a.balance),
	}
	return append(all, a.sendEndpoints()...)
}

// sendEndpoints are deprecated: the token standard replaces them.
func (a *API) sendEndpoints() []endpoint.Endpoint {
	const base = "/v0/admin/external-party/transfer-preapproval"
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/prepare-send", OperationID: "prepareTransferPreapprovalSend",
			Tag: tag, Deprecated: true, Reads: true,
			Summary: "Prepare a transfer by an external party for signing. Use the token standard instead.",
		}), a.prepareSend),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/submit-send", OperationID: "submitTransferPreapprovalSend",
			Tag: tag, Deprecated: true,
			Summary: "Submit a signed transfer; the operator then executes it. Use the token standard instead.",
		}), a.submitSend),
	}
}
