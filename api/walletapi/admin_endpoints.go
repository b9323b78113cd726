package walletapi

import (
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags that group what is not for wallet users.
const (
	tagUsers        = "Wallet users"
	tagExternal     = "External parties"
	tagPreapprovals = "Preapprovals"
	tagParticipant  = "Participant"
)

// Validator lists what anybody with a token may call.
func (a *API) Validator() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/register", OperationID: "register", Tag: tagUsers, Access: endpoint.Public,
			Summary: "Give the caller a wallet. Takes no body; repeating it changes nothing.", Authorize: a.newcomersOnly,
			Description: "What an administrator took from a user (the user itself, its wallet, its right to act as its party) " +
				"does not come back by this: an administrator has to give it back.",
		}, a.register),
	}
}

// Operator lists what only operators may call.
func (a *API) Operator() []endpoint.Endpoint {
	return slices.Concat(a.userEndpoints(), a.preapprovalEndpoints(), a.externalEndpoints(), a.sendEndpoints())
}

func (a *API) userEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users", OperationID: "onboardUser", Tag: tagUsers,
			Summary: "Give a user a wallet. Repeating it changes nothing.",
		}), a.onboardUser),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/users", OperationID: "listUsers", Tag: tagUsers,
			Summary: "List the users who have a wallet.",
		}), a.listUsers),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users/offboard", OperationID: "offboardUser", Tag: tagUsers,
			Summary: "Take a user's wallet away. Its party and holdings stay.",
		}), a.offboardUser),
	}
}

func (a *API) preapprovalEndpoints() []endpoint.Endpoint {
	const byParty = "/v0/admin/transfer-preapprovals/by-party/{receiver-party}"
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/participant/identities", OperationID: "getParticipantIdentities",
			Tag: tagParticipant, Summary: "Tell who the participant is. Private keys are not part of it.",
		}), a.participantIdentities),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/participant/global-domain-connection-config",
			OperationID: "getGlobalDomainConnectionConfig", Tag: tagParticipant,
			Summary: "Tell how the participant is connected to its synchronizer, which is in the same process.",
		}), a.connectionConfig),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/transfer-preapprovals", OperationID: "listTransferPreapprovals",
			Tag: tagPreapprovals, Summary: "List the preapprovals that the operator provides.",
		}), a.listPreapprovals),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: byParty, OperationID: "lookupTransferPreapprovalProvidedToParty",
			Tag: tagPreapprovals, Summary: "Get the preapproval that the operator provides for a party.",
		}), a.lookupPreapproval),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodDelete, Path: byParty, OperationID: "cancelTransferPreapprovalByParty", Tag: tagPreapprovals,
			Summary: "Cancel the preapproval that the operator provides for a party.",
		}), a.cancelPreapproval),
	}
}

func (a *API) externalEndpoints() []endpoint.Endpoint {
	const base = "/v0/admin/external-party"
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/topology/generate", OperationID: "generateExternalPartyTopology",
			Tag: tagExternal, Reads: true,
			Summary: "Make the topology transactions that an external party signs to come into being.",
		}), a.generateTopology),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/topology/submit", OperationID: "submitExternalPartyTopology",
			Tag: tagExternal, Summary: "Bring an external party into being, and wait until it is ready.",
		}), a.submitTopology),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal", OperationID: "createExternalPartySetupProposal",
			Tag: tagExternal, Summary: "Pay for a preapproval of an external party and propose it.",
		}), a.createSetupProposal),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: base + "/setup-proposal", OperationID: "listExternalPartySetupProposals",
			Tag: tagExternal, Summary: "List the proposals that wait for acceptance.",
		}), a.listSetupProposals),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal/prepare-accept",
			OperationID: "prepareAcceptExternalPartySetupProposal", Tag: tagExternal, Reads: true,
			Summary: "Prepare the acceptance of a proposal for signing.",
		}), a.prepareAccept),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/setup-proposal/submit-accept",
			OperationID: "submitAcceptExternalPartySetupProposal", Tag: tagExternal,
			Summary: "Submit the signed acceptance of a proposal, and wait for it.",
		}), a.submitAccept),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: base + "/balance", OperationID: "getExternalPartyBalance", Tag: tagExternal,
			Summary: "Get what an external party holds.",
		}), a.externalBalance),
	}
}

// sendEndpoints are deprecated: the token standard has taken their place.
func (a *API) sendEndpoints() []endpoint.Endpoint {
	const base = "/v0/admin/external-party/transfer-preapproval"
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/prepare-send", OperationID: "prepareTransferPreapprovalSend",
			Tag: tagExternal, Deprecated: true, Reads: true,
			Summary: "Prepare a transfer by an external party for signing. Use the token standard instead.",
		}), a.prepareSend),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: base + "/submit-send", OperationID: "submitTransferPreapprovalSend",
			Tag: tagExternal, Deprecated: true,
			Summary: "Submit a signed transfer, which the operator makes then. Use the token standard instead.",
		}), a.submitSend),
	}
}
