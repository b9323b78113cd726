package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/florinledger/florin/wallet/sentence"
)

// update is a transaction for display.
type update struct {
	ID string
	// Only the submitter sees Command and Workflow.
	Command, Workflow   string
	Offset              int64
	Effective, Recorded time.Time
	// Traffic is what the submitter paid, Hash what a party signed outside the node; nil and "" if there is none.
	Traffic *int64
	Hash    string
	Said    sentence.Sentence
	Nodes   []*node
	// More is the number of events that the page does not show.
	More int
}

// updateRef names a transaction by its id, or by its offset if the id is "".
type updateRef struct {
	ID     string
	Offset int64
}

// transaction is a transaction in the API's JSON.
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

type foundUpdate struct {
	Update struct {
		Transaction struct {
			Value transaction `json:"value"`
		} `json:"Transaction"`
	} `json:"update"`
}

// transaction reads a transaction with the events that the reader sees.
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

// update reads a transaction for display.
func (s *site) update(v *visit, which updateRef, as reader) (update, error) {
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
	tell := s.teller(v, as)
	read.Said = tell.update(found.Events)
	shown, more := firstOf(found.Events)
	said := tell.each(found.Events)
	read.Nodes, read.More = treeOf(shown, func(i int) *node {
		one := shown[i].node(as)
		one.Said = said(i)
		return one
	}), more
	return read, nil
}

type updateView struct {
	update

	// Temporal is the address of the command's workflow. If only the node knows the command, as for its wallets, it is
	// the address of the party's workflows. It is "" without a Temporal UI.
	Temporal string
}

// historyEntry shows the transaction of a history entry.
func (s *site) historyEntry(v *visit) error {
	found, err := s.update(v, updateRef{ID: v.r.PathValue("id")}, reader{Parties: []string{v.party}})
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

// workflowsOf is the address of a command's workflows in Temporal's UI, or of a party's if the command is ""; ""
// without a Temporal UI.
func (s *site) workflowsOf(command, party string) string {
	query := `FlorinCommandId = "` + command + `"`
	if command == "" {
		query = `FlorinParty = "` + party + `"`
	}
	if command == "" && party == "" || strings.Contains(query, `\`) || strings.Count(query, `"`) != 2 {
		return ""
	}
	return s.workflowsWhere(query)
}

// workflowsWhere is the address of this ledger's workflows of a query in Temporal's UI; "" without a Temporal UI.
func (s *site) workflowsWhere(query string) string {
	if s.TemporalUI == "" {
		return ""
	}
	query += " AND " + s.TemporalQuery
	return s.TemporalUI + "/namespaces/" + url.PathEscape(s.TemporalNamespace) + "/workflows?query=" +
		url.QueryEscape(query)
}
