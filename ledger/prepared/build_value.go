package prepared

import (
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// value writes a value with the transaction's own contracts by their ids before the commit.
func (b *builder) value(value lf.Value) *ledgerpb.Value {
	return protovalue.Encoder{}.Value(lf.MapContractIDs(value, b.localID))
}

func optionalIdentifier(name *lf.TypeName) *ledgerpb.Identifier {
	if name == nil {
		return nil
	}
	return protovalue.Identifier(*name)
}
