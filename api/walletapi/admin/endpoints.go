package admin

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags of operations in the API document.
const (
	tagPreapprovals = "Preapprovals"
	tagParticipant  = "Participant"
)

// Endpoints lists the operator's endpoints for the participant and for preapprovals.
func (a *API) Endpoints() []endpoint.Endpoint {
	const byParty = "/v0/admin/transfer-preapprovals/by-party/{receiver-party}"
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/participant/identities", OperationID: "getParticipantIdentities",
			Tag: tagParticipant, Summary: "Get the identity of the participant, without private keys.",
		}), a.participantIdentities),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/participant/global-domain-connection-config",
			OperationID: "getGlobalDomainConnectionConfig", Tag: tagParticipant,
			Summary: "Get the participant's connection to its synchronizer, which runs in the same process.",
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
