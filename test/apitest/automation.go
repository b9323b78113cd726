package apitest

import (
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// Automate does the due actions of contracts with a lifecycle, as their workflows do, until nothing is due.
func (s *Server) Automate() {
	s.tb.Helper()
	const most = 100
	lifecycles, err := s.DB.Lifecycles(s.tb.Context(), "", most)
	require.NoError(s.tb, err)
	require.Less(s.tb, len(lifecycles), most)
	for _, lifecycle := range lifecycles {
		s.follow(lifecycle)
	}
}

// follow does the actions of one workflow until it would wait.
func (s *Server) follow(row db.Lifecycle) {
	s.tb.Helper()
	const turns = 10
	committer := s.committer()
	in := activities.PlanLifecycleInput{WorkflowID: row.WorkflowID, RunID: "run"}
	for range turns {
		plan, err := committer.activities.PlanLifecycle(s.tb.Context(), in)
		require.NoError(s.tb, err)
		if plan.Over || plan.Action == nil && !plan.Again {
			return
		}
		if plan.Action == nil {
			continue
		}
		_, err = committer.SubmitAndWait(s.tb.Context(), *plan.Action)
		require.NoError(s.tb, err)
		tries := 1
		if in.Last != nil && in.Last.CommandID == plan.Action.CommandID {
			tries += in.Last.Tries
		}
		in.Last = &activities.LastAction{CommandID: plan.Action.CommandID, Key: plan.Action.Key, Tries: tries}
	}
	require.Fail(s.tb, "a lifecycle does not come to rest", row.WorkflowID)
}

// lifecycles is the registry for a node with the coin; nil without the coin.
func (s *Server) lifecycles() *lifecycle.Registry {
	if _, err := ledger.TemplateName[coin.Amulet](s.Packages); err != nil {
		return nil
	}
	registry, err := lifecycle.NewRegistry(s.Packages)
	require.NoError(s.tb, err)
	return registry
}
