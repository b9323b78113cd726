package coin

import "github.com/florinledger/florin/ledger/lf"

// Schedule is a value that changes at fixed points: first InitialValue, then each future value from its point on.
// Future values are in ascending order of their points.
type Schedule[T, V any] struct {
	_            struct{}          `lf:"splice-amulet:Splice.Schedule:Schedule"`
	InitialValue V                 `lf:"initialValue"`
	FutureValues []lf.Tuple2[T, V] `lf:"futureValues"`
}

// issuanceAt is the issuance configuration at an age of the network.
func issuanceAt(curve Schedule[lf.RelTime, IssuanceConfig], age lf.RelTime) IssuanceConfig {
	value := curve.InitialValue
	for _, step := range curve.FutureValues {
		if age.Microseconds < step.V1.Microseconds {
			break
		}
		value = step.V2
	}
	return value
}
