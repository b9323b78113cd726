package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
)

// Intent is what a wallet is to do now; [plan.Action] is the submission that does it. One of Operation, Offer and
// Accept is set.
type Intent struct {
	// CommandID is the same for the same intent.
	CommandID string
	// Wallet is the party whose wallet acts.
	Wallet ledger.Party
	// Operation is to be done in a batch of the wallet's, with the coin that it takes.
	Operation *walletapp.AmuletOperation
	// Offer is to be made, or an offer to be accepted, by a choice of its own.
	Offer  *walletapp.InstallCreateTransferOffer
	Accept *walletapp.InstallTransferOfferAccept
	// Contract is the one that the intent ends; empty where there is none.
	Contract ledger.ContractID
}

// commandID names an action after what makes it due.
func commandID(kind string, parts ...any) string {
	hash := sha256.New()
	for _, part := range parts {
		text := fmt.Sprint(part)
		fmt.Fprintf(hash, "%d:%s,", len(text), text) // hashes do not fail
	}
	return kind + "-" + hex.EncodeToString(hash.Sum(nil)[:16])
}

// isOfKind reports whether [commandID] made an id for an action of the kind.
func isOfKind(id, kind string) bool { return strings.HasPrefix(id, kind+"-") }
