package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
)

// Intent is the next action of a wallet; [plan.Action] is its submission. One of Operation, Offer and Accept is set.
type Intent struct {
	// CommandID is the same for the same intent.
	CommandID string
	// Wallet is the party whose wallet acts.
	Wallet ledger.Party
	// Operation runs in a batch of the wallet, with the coin that it takes.
	Operation *walletapp.AmuletOperation
	// Offer creates an offer, Accept accepts one, each by its own choice.
	Offer  *walletapp.InstallCreateTransferOffer
	Accept *walletapp.InstallTransferOfferAccept
	// Contract is the contract that the intent ends; empty for none.
	Contract ledger.ContractID
}

// commandID derives the id of an action from its cause.
func commandID(kind string, parts ...any) string {
	hash := sha256.New()
	for _, part := range parts {
		text := fmt.Sprint(part)
		fmt.Fprintf(hash, "%d:%s,", len(text), text) // hashes do not fail
	}
	return kind + "-" + hex.EncodeToString(hash.Sum(nil)[:16])
}

// isOfKind reports whether [commandID] made the id for the kind.
func isOfKind(id, kind string) bool { return strings.HasPrefix(id, kind+"-") }
