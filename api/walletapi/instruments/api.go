// Package instruments serves the tokens of uploaded packages to wallets: holdings, history, transfers and allocations.
//
// It finds them by the interfaces of the token standard and names no token. What it shows of them is the claim of their
// packages' code, apart from the coin (package wallet/tokens). A change names the packages whose code the caller
// trusts: their choices run with the authority of the wallet's party, and the commit confines them to contracts of these
// packages.
package instruments

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/tokens"
)

// Record reads from the database.
type Record interface {
	Contract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	Contracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	Updates(ctx context.Context, query db.UpdatesQuery) ([]ledger.Update, error)
}

// API serves the tokens of uploaded packages.
type API struct {
	*validator.Base

	record     Record
	registries *Registries
}

// New makes the API. registries may be nil.
func New(base *validator.Base, record Record, registries *Registries) *API {
	return &API{Base: base, record: record, registries: registries}
}

// InstrumentID names a token: the party that administers it, and that party's name for it.
type InstrumentID struct {
	endpoint.Strict

	Admin ledger.Party `json:"admin" required:"true" doc:"Party that administers the token"`
	ID    string       `json:"id" required:"true" doc:"The administrator's name for the token"`
}

func toAPIInstrument(i tokens.Instrument) InstrumentID { return InstrumentID{Admin: i.Admin, ID: i.ID} }

// ClaimedContract is a contract of an uploaded package. Its view is what the code of the package says; the other fields
// are facts of the ledger.
type ClaimedContract struct {
	ContractID  ledger.ContractID  `json:"contract_id" required:"true" doc:"Its id"`
	TemplateID  lf.TypeName        `json:"template_id" required:"true" doc:"Its template, by package id"`
	PackageName string             `json:"package_name" required:"true" doc:"The package whose code makes the claims"`
	CreatedAt   endpoint.Timestamp `json:"created_at" required:"true" doc:"Ledger time of its creation"`
	Signatories []ledger.Party     `json:"signatories" required:"true" doc:"Parties that signed it"`
	View        json.RawMessage    `json:"view" required:"true" doc:"The claims, in the token standard's form"`
}

func toAPIContract(c ledger.Contract, view []byte) ClaimedContract {
	return ClaimedContract{
		ContractID: c.ID, TemplateID: c.Template, PackageName: c.PackageName, CreatedAt: endpoint.Timestamp(c.CreatedAt),
		Signatories: c.Signatories, View: view,
	}
}

// claims lists the contracts of a party with an interface whose views can be read and are wanted.
func claims[V any](
	ctx context.Context, a *API, party ledger.Party, interfaceName string, wanted func(V) bool,
) ([]ClaimedContract, error) {
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return nil, err
	}
	found, err := a.Implementing(ctx, packages, party, interfaceName)
	var claimed []ClaimedContract
	for _, one := range found {
		var view V
		if one.Err == nil && tokens.ReadView(one.View, &view) == nil && wanted(view) {
			claimed = append(claimed, toAPIContract(one.Contract, one.View))
		}
	}
	return claimed, err
}

// reasonOf is the text of an error from a package's code, shortened because the code may choose it.
func reasonOf(err error) string { return fault.ShortenTo(maxReason, err.Error()) }

// hasSigned reports whether a party signed a contract.
func hasSigned(contract ledger.Contract, party ledger.Party) bool {
	return slices.Contains(contract.Signatories, party)
}
