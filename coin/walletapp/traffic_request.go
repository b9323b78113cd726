package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// BuyTrafficRequest asks a user's wallet to buy traffic for a member of a synchronizer.
type BuyTrafficRequest struct {
	_            struct{}     `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest"`
	DSO          Party        `lf:"dso"`
	EndUserParty Party        `lf:"endUserParty"`
	ExpiresAt    lf.Timestamp `lf:"expiresAt"`
	// TrackingID is the user's own name for the request, to ask for its state.
	TrackingID string `lf:"trackingId"`
	// TrafficAmount is in bytes.
	TrafficAmount  int64  `lf:"trafficAmount"`
	MemberID       string `lf:"memberId"`
	SynchronizerID string `lf:"synchronizerId"`
	MigrationID    int64  `lf:"migrationId"`
}

// TrafficTrackingInfo is the request of a choice, for transaction histories.
type TrafficTrackingInfo struct {
	_            struct{} `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequestTrackingInfo"`
	TrackingID   string   `lf:"trackingId"`
	EndUserParty Party    `lf:"endUserParty"`
}

func (r BuyTrafficRequest) tracking() TrafficTrackingInfo {
	return TrafficTrackingInfo{TrackingID: r.TrackingID, EndUserParty: r.EndUserParty}
}

// BuyTrafficRequestComplete buys the traffic with the user's coin.
type BuyTrafficRequestComplete struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_Complete"`

	Inputs         []coin.TransferInput        `lf:"inputs"`
	Context        coin.PaymentTransferContext `lf:"context"`
	WalletProvider Party                       `lf:"walletProvider"`
}

// BuyTrafficRequestCompleteResult is the result of [BuyTrafficRequestComplete].
type BuyTrafficRequestCompleteResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_CompleteResult"`

	PurchasedTraffic   lf.CID[coin.MemberTraffic] `lf:"purchasedTraffic"`
	TrackingInfo       TrafficTrackingInfo        `lf:"trackingInfo"`
	SenderChangeAmulet *lf.CID[coin.Amulet]       `lf:"senderChangeAmulet"`
}

// BuyTrafficRequestCancel cancels the request before it expires.
type BuyTrafficRequestCancel struct {
	_      struct{} `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_Cancel"`
	Reason string   `lf:"reason"`
}

// BuyTrafficRequestCancelResult is the result of [BuyTrafficRequestCancel].
type BuyTrafficRequestCancelResult struct {
	_            struct{}            `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_CancelResult"`
	TrackingInfo TrafficTrackingInfo `lf:"trackingInfo"`
}

// BuyTrafficRequestExpire ends a request that has expired.
type BuyTrafficRequestExpire struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_Expire"`
}

// BuyTrafficRequestExpireResult is the result of [BuyTrafficRequestExpire].
type BuyTrafficRequestExpireResult struct {
	_            struct{}            `lf:"splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest_ExpireResult"`
	TrackingInfo TrafficTrackingInfo `lf:"trackingInfo"`
}

func buyTrafficRequestTemplate() ledger.TemplateSource {
	type request = BuyTrafficRequest
	return ledger.Template[request]{
		Network:     ledger.DSONamed(func(r request) Party { return r.DSO }),
		Signatories: func(r request) []Party { return []Party{r.EndUserParty} },
		Choices: []ledger.ChoiceOf[request]{
			consuming(func(r request, arg BuyTrafficRequestComplete) []Party {
				return []Party{r.EndUserParty, arg.WalletProvider}
			}, completeTrafficRequest),
			consuming(func(r request, _ BuyTrafficRequestCancel) []Party { return []Party{r.EndUserParty} },
				func(tx *ledger.Tx, _ lf.CID[request], r request, _ BuyTrafficRequestCancel,
				) (BuyTrafficRequestCancelResult, error) {
					return BuyTrafficRequestCancelResult{TrackingInfo: r.tracking()},
						requireNotExpired(tx, "Contract", r.ExpiresAt)
				}),
			consuming(func(r request, _ BuyTrafficRequestExpire) []Party { return []Party{r.EndUserParty} },
				func(tx *ledger.Tx, _ lf.CID[request], r request, _ BuyTrafficRequestExpire,
				) (BuyTrafficRequestExpireResult, error) {
					return BuyTrafficRequestExpireResult{TrackingInfo: r.tracking()}, requireExpired(tx, r.ExpiresAt)
				}),
		},
	}
}

func completeTrafficRequest(
	tx *ledger.Tx, _ lf.CID[BuyTrafficRequest], r BuyTrafficRequest, arg BuyTrafficRequestComplete,
) (none BuyTrafficRequestCompleteResult, err error) {
	if err := requireNotExpired(tx, "Contract", r.ExpiresAt); err != nil {
		return none, err
	}
	bought, err := ledger.Exercise[coin.AmuletRulesBuyMemberTrafficResult](tx, arg.Context.AmuletRules,
		coin.AmuletRulesBuyMemberTraffic{
			Inputs: arg.Inputs, Context: arg.Context.Context, Provider: r.EndUserParty, MemberID: r.MemberID,
			SynchronizerID: r.SynchronizerID, MigrationID: r.MigrationID, TrafficAmount: r.TrafficAmount,
			ExpectedDSO: &r.DSO,
		})
	return BuyTrafficRequestCompleteResult{
		PurchasedTraffic: bought.PurchasedTraffic, TrackingInfo: r.tracking(),
		SenderChangeAmulet: bought.SenderChangeAmulet,
	}, err
}
