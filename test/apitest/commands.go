package apitest

import (
	"encoding/json"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Create creates a contract in the name of its signatories.
func Create[T any](s *Server, payload T, actAs ...ledger.Party) lf.CID[T] {
	s.tb.Helper()
	name, err := ledger.TemplateName[T](s.Packages)
	require.NoError(s.tb, err)
	argument, err := ledger.Encode(s.Packages, payload)
	require.NoError(s.tb, err)
	update := s.commit(actAs, ledger.Command{Create: &ledger.CreateCommand{Template: name, Argument: argument}})
	return lf.CID[T](update.Events[0].ContractID)
}

// Exercise exercises a choice in the name of its controllers, and returns the result.
func Exercise[R, T, A any](s *Server, id lf.CID[T], choice string, argument A, actAs ...ledger.Party) R {
	s.tb.Helper()
	name, err := ledger.TemplateName[T](s.Packages)
	require.NoError(s.tb, err)
	encoded, err := ledger.Encode(s.Packages, argument)
	require.NoError(s.tb, err)
	update := s.commit(actAs, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id.ID(), Choice: choice, Argument: encoded,
	}})
	result, err := ledger.DecodeResult[R](s.Packages, update.Events[0].Result)
	require.NoError(s.tb, err)
	return result
}

// Archive archives a contract in the name of its signatories.
func Archive[T any](s *Server, id lf.CID[T], actAs ...ledger.Party) {
	s.tb.Helper()
	name, err := ledger.TemplateName[T](s.Packages)
	require.NoError(s.tb, err)
	s.commit(actAs, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id.ID(), Choice: "Archive", Argument: json.RawMessage(`{}`),
	}})
}

// commit submits a command as the parties, and reads as the DSO.
func (s *Server) commit(actAs []ledger.Party, command ledger.Command) ledger.Update {
	s.tb.Helper()
	completion, err := s.committer().SubmitAndWait(s.tb.Context(), ledger.Submission{
		Key: uuid.NewString(), Identity: ledger.DefaultUser(Admin), CommandID: uuid.NewString(),
		SubmissionID: uuid.NewString(),
		ActAs:        ledger.SortedParties(actAs), ReadAs: []ledger.Party{s.Node.DSO}, Commands: []ledger.Command{command},
		ReceivedAt: now(), Kind: ledger.KindCommand,
	})
	require.NoError(s.tb, err)
	require.Nil(s.tb, completion.Refusal)
	update, found, err := s.DB.UpdateByID(s.tb.Context(), completion.UpdateID)
	require.NoError(s.tb, err)
	require.True(s.tb, found)
	return update
}
