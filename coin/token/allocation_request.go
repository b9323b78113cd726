package token

import "github.com/florinledger/florin/ledger"

// AllocationRequest is the interface of contracts by which an app asks for the allocations of a settlement. Apps
// implement it, never a token's registry.
type AllocationRequest struct {
	_ struct{} `lf:"splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest"`
}

// AllocationRequestView is a request for wallets.
type AllocationRequestView struct {
	_          struct{}       `lf:"splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequestView"`
	Settlement SettlementInfo `lf:"settlement"`
	// TransferLegs are by the id of the leg.
	TransferLegs map[string]TransferLeg `lf:"transferLegs"`
	Meta         Metadata               `lf:"meta"`
}

// AllocationRequestReject refuses to allocate; the actor controls it.
type AllocationRequestReject struct {
	_         struct{}     `lf:"splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest_Reject"`
	Actor     ledger.Party `lf:"actor"`
	ExtraArgs ExtraArgs    `lf:"extraArgs"`
}

// AllocationRequestWithdraw takes the request back; the executor controls it.
type AllocationRequestWithdraw struct {
	_         struct{}  `lf:"splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest_Withdraw"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// AllocationRequestInterfaces are the interfaces of package splice-api-token-allocation-request-v1.
func AllocationRequestInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[AllocationRequest, AllocationRequestView]{
			Choices: []ledger.InterfaceChoiceOf[AllocationRequestView]{
				ledger.InterfaceChoice[AllocationRequestView, AllocationRequestReject, ChoiceExecutionMetadata]{
					Consuming: true,
					Controllers: func(_ AllocationRequestView, arg AllocationRequestReject) []ledger.Party {
						return []ledger.Party{arg.Actor}
					},
				},
				ledger.InterfaceChoice[AllocationRequestView, AllocationRequestWithdraw, ChoiceExecutionMetadata]{
					Consuming: true,
					Controllers: func(view AllocationRequestView, _ AllocationRequestWithdraw) []ledger.Party {
						return []ledger.Party{view.Settlement.Executor}
					},
				},
			},
		},
	}
}
