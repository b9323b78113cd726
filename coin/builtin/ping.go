package builtin

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Ping is the contract with which clients try a node: one party calls, another responds.
type Ping struct {
	_         struct{}     `lf:"canton-builtin-admin-workflow-ping:Canton.Internal.Ping:Ping"`
	ID        string       `lf:"id"`
	Initiator ledger.Party `lf:"initiator"`
	Responder ledger.Party `lf:"responder"`
}

// Respond answers a ping and ends it.
type Respond struct {
	_ struct{} `lf:"canton-builtin-admin-workflow-ping:Canton.Internal.Ping:Respond"`
}

func pingPackage() ledger.Package {
	const name, version = "canton-builtin-admin-workflow-ping", "3.4.0"
	return ledger.Package{
		ID: coin.LocalPackageID(name, version), Name: name, Version: version, OtherNames: []string{"AdminWorkflows"},
		Templates: []ledger.TemplateSource{
			ledger.Template[Ping]{
				Signatories: func(p Ping) []ledger.Party { return []ledger.Party{p.Initiator} },
				Observers:   func(p Ping) []ledger.Party { return []ledger.Party{p.Responder} },
				Choices: []ledger.ChoiceOf[Ping]{
					ledger.Choice[Ping, Respond, lf.Unit]{
						Consuming:   true,
						Controllers: func(p Ping, _ Respond) []ledger.Party { return []ledger.Party{p.Responder} },
						Body: func(*ledger.Tx, lf.CID[Ping], Ping, Respond) (lf.Unit, error) {
							return lf.Unit{}, nil
						},
					},
				},
			},
		},
	}
}
