package walletapp

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Packages returns the package splice-wallet with the ids that upstream published. It builds on those of the coin and
// of the payments.
func Packages() []ledger.Package {
	return []ledger.Package{{
		Name: "splice-wallet", Version: "0.1.23",
		ID: "727c0fb9711d59b506fbb3cff2342e55eb583bb88682a946220525c304feca4a",
		OtherIDs: []lf.PackageID{
			"94d88246f69d8a4b69333d1f993e3280deaca19b70511ea7687f01e4328a34a4", // 0.1.18
			"1d8317b1e476c03ea2a85bed8435e5c182abe501db58350009187fa839ab2cca", // 0.1.19
		},
		Templates: []ledger.TemplateSource{
			walletAppInstallTemplate(),
			transferOfferTemplate(),
			acceptedTransferOfferTemplate(),
			buyTrafficRequestTemplate(),
			validatorTopUpStateTemplate(),
			transferPreapprovalProposalTemplate(),
			mintingDelegationProposalTemplate(),
			mintingDelegationTemplate(),
		},
	}}
}
