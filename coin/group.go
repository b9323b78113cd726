package coin

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Party is a party id.
type Party = ledger.Party

// Contracts have groups: all of one DSO, those of one DSO and mining round, those of one DSO and owner. A choice checks
// the group of every contract from its caller, so that nobody can pass a contract of another network, round or owner.
type (
	dsoContract   interface{ dso() Party }
	roundContract interface {
		dsoContract
		miningRound() Round
	}
	ownedContract interface {
		dsoContract
		owner() Party
	}
)

func fetchForDSO[T dsoContract](tx *ledger.Tx, dso Party, id lf.CID[T]) (T, error) {
	contract, err := ledger.Fetch(tx, id)
	if err != nil {
		return contract, err
	}
	return contract, sameGroup(id.ID(), "dso "+quoted(dso), "dso "+quoted(contract.dso()))
}

func fetchForRound[T roundContract](tx *ledger.Tx, dso Party, round Round, id lf.CID[T]) (T, error) {
	contract, err := ledger.Fetch(tx, id)
	if err != nil {
		return contract, err
	}
	group := func(dso Party, round Round) string { return fmt.Sprintf("dso %s, round %d", quoted(dso), round.Number) }
	return contract, sameGroup(id.ID(), group(dso, round), group(contract.dso(), contract.miningRound()))
}

func fetchForOwner[T ownedContract](tx *ledger.Tx, dso, owner Party, id lf.CID[T]) (T, error) {
	contract, err := ledger.Fetch(tx, id)
	if err != nil {
		return contract, err
	}
	group := func(dso, owner Party) string { return "dso " + quoted(dso) + ", owner " + quoted(owner) }
	return contract, sameGroup(id.ID(), group(dso, owner), group(contract.dso(), contract.owner()))
}

func fetchAndArchive[T ownedContract](tx *ledger.Tx, dso, owner Party, id lf.CID[T]) (T, error) {
	contract, err := fetchForOwner(tx, dso, owner, id)
	if err != nil {
		return contract, err
	}
	return contract, ledger.ArchiveContract(tx, id)
}

func takeForDSO[T dsoContract](tx *ledger.Tx, dso Party, id lf.CID[T]) (T, error) {
	contract, err := fetchForDSO(tx, dso, id)
	if err != nil {
		return contract, err
	}
	return contract, ledger.ArchiveContract(tx, id)
}

func sameGroup(id ledger.ContractID, expected, actual string) error {
	if expected == actual {
		return nil
	}
	return ledger.Abort("Contract group identifier mismatch: expected %s, got %s for contract %s", expected, actual, id)
}

func quoted(party Party) string { return "'" + string(party) + "'" }
