package validator

import (
	"context"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// The paths of a change, in previews.
const (
	// pathOffer makes an offer that the receiver has to accept; pathPreapproval sends at once because the receiver has
	// a preapproval.
	pathOffer       = "offer"
	pathPreapproval = "preapproval"
	// pathTwoStep locks the coin until the receiver accepts; pathOneStep moves it at once.
	pathTwoStep = "two-step"
	pathOneStep = "one-step"
	// With pathTrafficRequest automation buys traffic; pathNewPreapproval makes a preapproval.
	pathTrafficRequest = "traffic-request"
	pathNewPreapproval = "new-preapproval"
)

// pathOf returns the path of a transaction; "" if its kind has only one.
func pathOf(packages *ledger.Packages, transaction ledger.Transaction) string {
	created := map[string]string{
		"Splice.Wallet.TransferOffer:TransferOffer":                     pathOffer,
		"Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest":             pathTrafficRequest,
		"Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal": pathNewPreapproval,
		"Splice.AmuletRules:TransferPreapproval":                        pathNewPreapproval,
	}
	path, byStandard := "", false
	for _, node := range transaction.Nodes {
		way := created[node.Template.QualifiedName()]
		switch {
		case node.Kind == ledger.EventCreate && way != "":
			return way
		case node.Kind == ledger.EventCreate && isInstruction(packages, node.Template):
			return pathTwoStep
		case node.Kind != ledger.EventExercise:
		case node.Choice == "TransferFactory_Transfer":
			path, byStandard = pathOneStep, true
		case byStandard:
		case node.Choice == "TransferPreapproval_Send" || node.Choice == "TransferPreapproval_SendV2":
			path = pathPreapproval
		case node.Choice == "AmuletRules_Transfer" && path == "":
			path = pathOneStep
		}
	}
	return path
}

// isInstruction reports whether contracts of a template are transfers that wait for their receiver.
func isInstruction(packages *ledger.Packages, template lf.TypeName) bool {
	return slices.ContainsFunc(packages.InterfacesOf(template), func(name lf.TypeName) bool {
		return name.QualifiedName() == "Splice.Api.Token.TransferInstructionV1:TransferInstruction"
	})
}

// checkTraffic returns an error if the node does not have enough traffic and the synchronizer enforces it.
func (b *Base) checkTraffic(ctx context.Context, bytes int64) error {
	settings, err := b.record.LedgerSettings(ctx)
	if err != nil || !settings.EnforceTraffic {
		return err
	}
	head, err := b.record.Head(ctx)
	if err != nil {
		return err
	}
	_, err = head.Traffic.Charge(bytes, nil, nil, b.Now(), b.traffic.Under(settings))
	return err
}
