package automation

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// maxSweepChain limits the wallets of one chain of sweeps.
const maxSweepChain = 100

// SweepRing follows the sweeps from a wallet to its receiver, from there to the next receiver, and so on. If the chain
// returns to the wallet, the coin would circulate as long as there is traffic: SweepRing then returns the reason, else
// "". It asks for the setting of each wallet once.
func SweepRing(
	sender, receiver ledger.Party, sweepOf func(ledger.Party) (SweepConfig, bool, error),
) (wrong string, err error) {
	seen := map[ledger.Party]bool{}
	for wallet := receiver; !seen[wallet]; {
		if len(seen) == maxSweepChain {
			return fmt.Sprintf("coin that %s sweeps to %s is swept on through more than %d wallets; sweep to the last of them",
				sender, receiver, maxSweepChain), nil
		}
		seen[wallet] = true
		next, swept, err := sweepOf(wallet)
		if err != nil || !swept {
			return "", err
		}
		if next.Receiver == sender {
			return fmt.Sprintf("%s sweeps back to %s, so that coin would go round; let one of them sweep elsewhere, or not "+
				"at all", wallet, sender), nil
		}
		wallet = next.Receiver
	}
	return "", nil // a ring without this wallet: its own wallets report it
}
