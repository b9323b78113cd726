package ledgerapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

const (
	tagInteractive = "Interactive submission"
	rightsExecute  = "to execute as each actAs party inside the prepared transaction, with the token's user"
)

func (a *API) interactiveEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/prepare", Reads: true,
			OperationID: "postV2Interactive-submissionPrepare", Tag: tagInteractive,
			Summary: "Interpret a command and return the transaction, for keys outside the node to sign.",
			Description: "Nothing is changed or reserved. Sign the 32 bytes of preparedTransactionHash, after computing " +
				"them again from preparedTransaction if the node is not to be trusted.",
			Rights: "to read as each actAs and readAs party, with the token's user", AsParty: ledger.CanReadAs,
		}, a.prepareSubmission),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/execute",
			OperationID: "postV2Interactive-submissionExecute", Tag: tagInteractive,
			Summary: "Execute a signed transaction and do not wait.", Rights: rightsExecute,
			AsParty: ledger.CanExecuteAs, Description: "The answer means that exactly one completion will follow.",
		}, a.execute),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/executeAndWait",
			OperationID: "postV2Interactive-submissionExecuteandwait", Tag: tagInteractive,
			Summary: "Execute a signed transaction and wait for its outcome.", Rights: rightsExecute,
			AsParty: ledger.CanExecuteAs,
		}, a.executeAndWait),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/executeAndWaitForTransaction",
			OperationID: "postV2Interactive-submissionExecuteandwaitfortransaction", Tag: tagInteractive,
			Summary: "Execute a signed transaction and wait for what came of it.",
			Rights:  rightsExecute + "; with a format, " + rightsRead, AsParty: ledger.CanExecuteAs,
		}, a.executeAndWaitForTransaction),
	}
}
