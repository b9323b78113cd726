package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// update is a transaction as a party sees it.
type update struct {
	ID string
	// Command and Workflow are what its submitter called it; only they are told.
	Command, Workflow   string
	Offset              int64
	Effective, Recorded time.Time
	// Traffic is what its submitter paid for it, Hash what was signed elsewhere; nil and "" where there is none.
	Traffic *int64
	Hash    string
	Nodes   []*node
	// More is how many parts there are beside those.
	More int
}

// updateRef names a transaction by its id or, without one, by its offset.
type updateRef struct {
	ID     string
	Offset int64
}

// transaction is an update as the API tells it.
type transaction struct {
	ID        string    `json:"updateId"`
	Command   string    `json:"commandId"`
	Workflow  string    `json:"workflowId"`
	Offset    int64     `json:"offset"`
	Effective time.Time `json:"effectiveAt"`
	Recorded  time.Time `json:"recordTime"`
	Traffic   *int64    `json:"paidTrafficCost"`
	Hash      *string   `json:"externalTransactionHash"`
	Events    []event   `json:"events"`
}

// foundUpdate is a transaction in an answer of the API.
type foundUpdate struct {
	Update struct {
		Transaction struct {
			Value transaction `json:"value"`
		} `json:"Transaction"`
	} `json:"update"`
}

// transaction reads a transaction with the parts that a reader sees.
func (v *visit) transaction(which updateRef, as reader) (transaction, error) {
	path, in := "/v2/updates/update-by-id", map[string]any{"updateId": which.ID, "updateFormat": as.updates()}
	if which.ID == "" {
		path = "/v2/updates/update-by-offset"
		in = map[string]any{"offset": which.Offset, "updateFormat": as.updates()}
	}
	var out foundUpdate
	err := v.api.Post(v.ctx(), path, in, &out)
	return out.Update.Transaction.Value, err
}

// update reads a transaction as people are shown it.
func (v *visit) update(which updateRef, as reader) (update, error) {
	found, err := v.transaction(which, as)
	if err != nil {
		return update{}, err
	}
	read := update{
		ID: found.ID, Command: found.Command, Workflow: found.Workflow, Offset: found.Offset,
		Effective: found.Effective, Recorded: found.Recorded, Traffic: found.Traffic,
	}
	if found.Hash != nil {
		read.Hash = *found.Hash
	}
	shownEvents, more := firstOf(found.Events)
	read.Nodes, read.More = treeOf(shownEvents, func(e event) *node { return e.node(as) }), more
	return read, nil
}

// updateView is what happened, with the way to the workflow behind it.
type updateView struct {
	update

	// Temporal leads to the workflow of the command, or to those of the party where only the node knows the command, which
	// is so of what it submits for its wallets; "" where nobody knows Temporal's UI.
	Temporal string
}

// historyEntry shows an entry of the history in full.
func (s *site) historyEntry(v *visit) error {
	found, err := v.update(updateRef{ID: v.r.PathValue("id")}, reader{Parties: []string{v.party}})
	if isStatus(err, http.StatusNotFound) {
		return &problem{
			Status: http.StatusNotFound, What: "There is no such update, or you may not see any part of it.",
			Next: "Search for it in the history.",
		}
	}
	if err != nil {
		return err
	}
	return s.show(v, "update", updateView{update: found, Temporal: s.workflowsOf(found.Command, v.party)})
}

// workflowsOf leads to the workflows of a command, or without one of a party, in Temporal's UI; "" where nobody knows
// that.
func (s *site) workflowsOf(command, party string) string {
	query := `FlorinCommandId = "` + command + `"`
	if command == "" {
		query = `FlorinParty = "` + party + `"`
	}
	if s.TemporalUI == "" || command == "" && party == "" {
		return ""
	}
	if strings.Contains(query, `\`) || strings.Count(query, `"`) != 2 {
		return ""
	}
	query += " AND " + s.TemporalQuery
	return s.TemporalUI + "/namespaces/" + url.PathEscape(s.TemporalNamespace) + "/workflows?query=" +
		url.QueryEscape(query)
}
