package walletapp

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// InstallCreateBuyTrafficRequest asks the wallet to buy traffic with coin of the user.
type InstallCreateBuyTrafficRequest struct {
	_              struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_CreateBuyTrafficRequest"`
	MemberID       string   `lf:"memberId"`
	SynchronizerID string   `lf:"synchronizerId"`
	MigrationID    int64    `lf:"migrationId"`
	// TrafficAmount is in bytes.
	TrafficAmount int64        `lf:"trafficAmount"`
	ExpiresAt     lf.Timestamp `lf:"expiresAt"`
	TrackingID    string       `lf:"trackingId"`
}

// InstallCreateBuyTrafficRequestResult is the result of [InstallCreateBuyTrafficRequest].
type InstallCreateBuyTrafficRequestResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_CreateBuyTrafficRequestResult"`

	BuyTrafficRequest lf.CID[BuyTrafficRequest] `lf:"buyTrafficRequest"`
}

// InstallBuyTrafficRequestCancel cancels a request for traffic.
type InstallBuyTrafficRequestCancel struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_BuyTrafficRequest_Cancel"`

	RequestCid lf.CID[BuyTrafficRequest] `lf:"requestCid"`
	Reason     string                    `lf:"reason"`
}

// InstallBuyTrafficRequestCancelResult is the result of [InstallBuyTrafficRequestCancel].
type InstallBuyTrafficRequestCancelResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_BuyTrafficRequest_CancelResult"`

	TrackingInfo TrafficTrackingInfo `lf:"trackingInfo"`
}

// InstallBuyTrafficRequestExpire ends a request for traffic that has expired.
type InstallBuyTrafficRequestExpire struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_BuyTrafficRequest_Expire"`

	RequestCid lf.CID[BuyTrafficRequest] `lf:"requestCid"`
}

// InstallBuyTrafficRequestExpireResult is the result of [InstallBuyTrafficRequestExpire].
type InstallBuyTrafficRequestExpireResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_BuyTrafficRequest_ExpireResult"`

	TrackingInfo TrafficTrackingInfo `lf:"trackingInfo"`
}

func trafficRequestChoices() []ledger.ChoiceOf[WalletAppInstall] {
	return []ledger.ChoiceOf[WalletAppInstall]{
		byValidator(func(
			tx *ledger.Tx, w WalletAppInstall, arg InstallCreateBuyTrafficRequest,
		) (InstallCreateBuyTrafficRequestResult, error) {
			request, err := ledger.Create(tx, BuyTrafficRequest{
				DSO: w.DSOParty, EndUserParty: w.EndUserParty, ExpiresAt: arg.ExpiresAt, TrackingID: arg.TrackingID,
				TrafficAmount: arg.TrafficAmount, MemberID: arg.MemberID, SynchronizerID: arg.SynchronizerID,
				MigrationID: arg.MigrationID,
			})
			return InstallCreateBuyTrafficRequestResult{BuyTrafficRequest: request}, err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallBuyTrafficRequestCancel,
		) (InstallBuyTrafficRequestCancelResult, error) {
			result, err := ledger.Exercise[BuyTrafficRequestCancelResult](
				tx, arg.RequestCid, BuyTrafficRequestCancel{Reason: arg.Reason})
			return InstallBuyTrafficRequestCancelResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallBuyTrafficRequestExpire,
		) (InstallBuyTrafficRequestExpireResult, error) {
			result, err := ledger.Exercise[BuyTrafficRequestExpireResult](
				tx, arg.RequestCid, BuyTrafficRequestExpire{})
			return InstallBuyTrafficRequestExpireResult(result), err
		}),
	}
}
