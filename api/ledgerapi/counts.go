package ledgerapi

import (
	"cmp"

	"github.com/florinledger/florin/ledger/fault"
)

// The defaults of how much one submission may hold.
const (
	DefaultMaxCommands  = 1000
	DefaultMaxDisclosed = 1000
	DefaultMaxParties   = 1000
)

// Counts say how much one submission may hold. Zero means the defaults.
type Counts struct {
	// Commands is how many commands it may have.
	Commands int
	// Disclosed is how many contracts it may disclose, and how many keys it may have looked up beforehand.
	Disclosed int
	// Parties is how many parties it may act as, and how many it may read as.
	Parties int
}

func (c Counts) withDefaults() Counts {
	return Counts{
		Commands:  cmp.Or(c.Commands, DefaultMaxCommands),
		Disclosed: cmp.Or(c.Disclosed, DefaultMaxDisclosed),
		Parties:   cmp.Or(c.Parties, DefaultMaxParties),
	}
}

// check refuses a submission that holds too much, before anything is made of what it holds.
func (c Counts) check(body JsCommands) error {
	for _, list := range []struct {
		field      string
		count, max int
	}{
		{"commands", len(body.Commands), c.Commands},
		{"act_as", len(body.ActAs), c.Parties},
		{"read_as", len(body.ReadAs), c.Parties},
		{"disclosed_contracts", len(body.DisclosedContracts), c.Disclosed},
		{"prefetch_contract_keys", len(body.PrefetchContractKeys), c.Disclosed},
		{"package_id_selection_preference", len(body.PackageIDSelectionPreference), c.Disclosed},
	} {
		if list.count > list.max {
			return fault.InvalidArgumentf("%s has %d elements, and %d are the most in one submission",
				list.field, list.count, list.max).WithHint("Split it over several submissions.")
		}
	}
	return nil
}
