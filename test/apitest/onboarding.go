package apitest

import (
	"net/http"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// LedgerUser is the operator's administrator on the ledger: the user of the endpoints that are for operators only.
const LedgerUser = "ledger-api-user"

// OperatorWallet onboards the operator and its users, as a node does at its start, and returns the wallet. A second
// call changes nothing.
func (s *Server) OperatorWallet() *Wallet {
	s.tb.Helper()
	admin := ledger.Right{Kind: ledger.ParticipantAdmin}
	actAs := ledger.Right{Kind: ledger.CanActAs, Party: s.Node.Operator}
	for user, rights := range map[string][]ledger.Right{
		LedgerUser: {admin, actAs}, s.Node.OperatorUser: {actAs},
	} {
		_, err := s.DB.CreateUser(s.tb.Context(), ledger.User{ID: user, PrimaryParty: s.Node.Operator}, rights)
		if !fault.UserAlreadyExists.Matches(err) {
			require.NoError(s.tb, err)
		}
	}
	require.NoError(s.tb, s.wallets.OpenOperatorWallet(s.tb.Context()))
	return &Wallet{Party: s.Node.Operator, User: s.Node.OperatorUser, s: s}
}

// Onboard onboards a user, as the operator does, and returns the wallet.
func (s *Server) Onboard(name string) *Wallet {
	s.tb.Helper()
	s.OperatorWallet()
	var onboarded struct {
		PartyID ledger.Party `json:"party_id"`
	}
	s.Call(LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{"name": name}).OK(&onboarded)
	return &Wallet{Party: onboarded.PartyID, User: name, s: s}
}

// OnboardWithHint onboards a user with a party of the hint, as the node does at its start, and returns the party.
func (s *Server) OnboardWithHint(user, hint string) ledger.Party {
	s.tb.Helper()
	require.NoError(s.tb, s.wallets.OnboardUser(s.tb.Context(), user, hint))
	found, known, err := s.DB.User(s.tb.Context(), ledger.DefaultUser(user))
	require.NoError(s.tb, err)
	require.True(s.tb, known)
	return found.PrimaryParty
}
