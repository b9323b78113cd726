package node

import (
	"runtime"

	"github.com/florinledger/florin/internal/turns"
)

// newCodeShare makes the share of long code of uploaded packages: of commits, preparations and views. Short code takes
// about as long as the rest of a submission. The memory of all code together is at most that of the places and of one
// transaction, and that of short code.
func newCodeShare() *turns.Share {
	const shortSteps, shortBytes, places, placeBytes = 20_000, 8 << 20, 8, 32 << 20
	return turns.NewShare(turns.ShareLimits{
		Processors: runtime.GOMAXPROCS(0), ShortSteps: shortSteps, ShortBytes: shortBytes,
		Places: places, PlaceBytes: placeBytes,
	})
}
