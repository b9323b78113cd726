package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
)

// Action is something that a wallet is to do now. Either Operation is set or Choice.
type Action struct {
	// CommandID is the same for the same action.
	CommandID string
	// Wallet is the party whose wallet acts.
	Wallet ledger.Party
	// Operation is to be done in a batch of the wallet's, with the inputs of [Funds.Inputs].
	Operation *walletapp.AmuletOperation
	// Choice is the argument of the choice that is to be exercised: of [walletapp.WalletAppInstall], but for minting
	// delegations and their proposals, where it is Contract's own.
	Choice any
	// Contract is the one that the action ends; empty where there is none.
	Contract ledger.ContractID
}

// ClockSkew is how long ago a deadline must have passed before anything is done about it, so that the ledger's clock,
// which may be behind, has passed it too.
const ClockSkew = 5 * time.Second

// commandID names an action after what makes it due.
func commandID(kind string, parts ...any) string {
	hash := sha256.New()
	for _, part := range parts {
		text := fmt.Sprint(part)
		fmt.Fprintf(hash, "%d:%s,", len(text), text) // hashes do not fail
	}
	return kind + "-" + hex.EncodeToString(hash.Sum(nil)[:16])
}

// Coin is an unlocked coin of a wallet.
type Coin struct {
	ID     ledger.ContractID
	Amount coin.ExpiringAmount
}
