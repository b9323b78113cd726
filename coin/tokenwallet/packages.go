package tokenwallet

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Packages returns the package with the name, version and ids that upstream published.
func Packages() []ledger.Package {
	return []ledger.Package{{
		Name: "splice-util-token-standard-wallet", Version: "1.1.0",
		ID: "1215d3ee8f3cb428d062d8708c2deca33c91ff99f5edefa70616646e57f93012",
		OtherIDs: []lf.PackageID{
			"1da198cb7968fa478cfa12aba9fdf128a63a8af6ab284ea6be238cf92a3733ac", // 1.0.0
			"182892381e4245c39d3126082ec0b41a089edb61e63af518f61eae1f5c9e135a", // 1.0.1
		},
		Templates: []ledger.TemplateSource{
			mergeDelegationProposalTemplate(), mergeDelegationTemplate(), batchMergeUtilityTemplate(),
		},
	}}
}
