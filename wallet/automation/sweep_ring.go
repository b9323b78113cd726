package automation

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// maxSweepChain is how many wallets coin is swept through at most.
const maxSweepChain = 100

// SweepRing follows coin from a wallet that is swept to a receiver on through the sweeps of the wallets that get it. It
// says what is wrong when the coin comes back, since it would then go round for as long as there is traffic to pay
// with; "" if nothing is. The setting of each wallet is asked for once.
func SweepRing(
	sender, receiver ledger.Party, sweepOf func(ledger.Party) (SweepConfig, bool, error),
) (wrong string, err error) {
	seen := map[ledger.Party]bool{}
	for wallet := receiver; !seen[wallet]; {
		if len(seen) == maxSweepChain {
			return fmt.Sprintf("what %s sweeps to %s is swept on through more than %d wallets; sweep to the last of them",
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
	return "", nil // it goes round among others, which is told of them
}
