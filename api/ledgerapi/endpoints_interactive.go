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
			Summary: "Prepare a transaction for external signing.",
			Description: "Changes and reserves nothing. Sign the 32 bytes of preparedTransactionHash. If you do not trust the " +
				"node, compute the hash from preparedTransaction first.",
			Rights: "to read as each actAs and readAs party, with the token's user", AsParty: ledger.CanReadAs,
		}, a.prepareSubmission),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/execute",
			OperationID: "postV2Interactive-submissionExecute", Tag: tagInteractive,
			Summary: "Execute a signed transaction and do not wait.", Rights: rightsExecute,
			AsParty: ledger.CanExecuteAs, Description: "The answer means that exactly one completion will follow.",
		}, a.execute), a.dryRunExecute),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/executeAndWait",
			OperationID: "postV2Interactive-submissionExecuteandwait", Tag: tagInteractive,
			Summary: "Execute a signed transaction and wait for its outcome.", Rights: rightsExecute,
			AsParty: ledger.CanExecuteAs,
		}, a.executeAndWait), a.dryRunExecuteAndWait),
		endpoint.WithPreview(endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/interactive-submission/executeAndWaitForTransaction",
			OperationID: "postV2Interactive-submissionExecuteandwaitfortransaction", Tag: tagInteractive,
			Summary: "Execute a signed transaction and wait for its transaction.",
			Rights:  rightsExecute + "; with a format, " + rightsRead, AsParty: ledger.CanExecuteAs,
		}, a.executeAndWaitForTransaction), a.dryRunExecuteForTransaction),
	}
}
