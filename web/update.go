package web

import (
	"encoding/json"
	"fmt"
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

// node is a part of a transaction: a contract that came to be, or a choice that was made, with what followed from it.
type node struct {
	// What says it in words, On is the contract's template in words.
	What, On string
	// Template and Contract are the names that programs know, Choice is "" of a new contract.
	Template, Choice, Contract string
	// By are those who made the choice, or signed the contract.
	By []string
	// Ends: the choice ended the contract.
	Ends bool
	// Argument is what was said, Result what came of it, as JSON; Result is "" of a new contract.
	Argument, Result string
	Children         []*node

	id, last int32
}

// event is a part of a transaction as the API tells it.
type event struct {
	Created *struct {
		NodeID      int32           `json:"nodeId"`
		Contract    string          `json:"contractId"`
		Template    string          `json:"templateId"`
		Argument    json.RawMessage `json:"createArgument"`
		Signatories []string        `json:"signatories"`
	} `json:"CreatedEvent"`
	Exercised *struct {
		NodeID    int32           `json:"nodeId"`
		Last      int32           `json:"lastDescendantNodeId"`
		Contract  string          `json:"contractId"`
		Template  string          `json:"templateId"`
		Choice    string          `json:"choice"`
		Argument  json.RawMessage `json:"choiceArgument"`
		Result    json.RawMessage `json:"exerciseResult"`
		Acting    []string        `json:"actingParties"`
		Consuming bool            `json:"consuming"`
	} `json:"ExercisedEvent"`
}

// update reads a transaction with the parts that a party sees.
func (v *visit) update(id, party string) (update, error) {
	var out struct {
		Update struct {
			Transaction struct {
				Value struct {
					ID        string    `json:"updateId"`
					Command   string    `json:"commandId"`
					Workflow  string    `json:"workflowId"`
					Offset    int64     `json:"offset"`
					Effective time.Time `json:"effectiveAt"`
					Recorded  time.Time `json:"recordTime"`
					Traffic   *int64    `json:"paidTrafficCost"`
					Hash      *string   `json:"externalTransactionHash"`
					Events    []event   `json:"events"`
				} `json:"value"`
			} `json:"Transaction"`
		} `json:"update"`
	}
	all := map[string]any{"identifierFilter": map[string]any{
		"WildcardFilter": map[string]any{"value": map[string]any{"includeCreatedEventBlob": false}},
	}}
	format := map[string]any{"includeTransactions": map[string]any{
		"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
		"eventFormat": map[string]any{
			"filtersByParty": map[string]any{party: map[string]any{"cumulative": []any{all}}}, "verbose": true,
		},
	}}
	err := v.api.Post(v.ctx(), "/v2/updates/update-by-id", map[string]any{"updateId": id, "updateFormat": format}, &out)
	if err != nil {
		return update{}, err
	}
	found := out.Update.Transaction.Value
	read := update{
		ID: found.ID, Command: found.Command, Workflow: found.Workflow, Offset: found.Offset,
		Effective: found.Effective, Recorded: found.Recorded, Traffic: found.Traffic,
	}
	if found.Hash != nil {
		read.Hash = *found.Hash
	}
	shownEvents, more := firstOf(found.Events)
	read.Nodes, read.More = treeOf(shownEvents), more
	return read, nil
}

// treeOf puts events, which come in order, below those that they follow from.
func treeOf(events []event) (roots []*node) {
	var above []*node
	for _, from := range events {
		one := from.node()
		for len(above) > 0 && one.id > above[len(above)-1].last {
			above = above[:len(above)-1]
		}
		if len(above) == 0 {
			roots = append(roots, one)
		} else {
			parent := above[len(above)-1]
			parent.Children = append(parent.Children, one)
		}
		above = append(above, one)
	}
	return roots
}

func (e event) node() *node {
	switch {
	case e.Created != nil:
		c := e.Created
		return &node{
			What: "New", On: wordsOfTemplate(c.Template), Template: c.Template, Contract: c.Contract, By: c.Signatories,
			Argument: pretty(c.Argument), id: c.NodeID, last: c.NodeID,
		}
	case e.Exercised != nil:
		x := e.Exercised
		return &node{
			What: wordsOfChoice(x.Choice), On: wordsOfTemplate(x.Template), Template: x.Template, Choice: x.Choice,
			Contract: x.Contract, By: x.Acting, Ends: x.Consuming, Argument: pretty(x.Argument), Result: pretty(x.Result),
			id: x.NodeID, last: x.Last,
		}
	default:
		return &node{What: "Something that this page does not know"}
	}
}

// wordsOfTemplate makes words of the last part of a template's name.
func wordsOfTemplate(template string) string {
	return wordsOfChoice(template[strings.LastIndexByte(template, ':')+1:])
}

// maxJSON is how much of a value is shown, in bytes.
const maxJSON = 2000

// pretty is JSON for people, or its beginning and how much there is. No more is made than is shown: each level of a
// value makes its lines longer, so the whole may be as long as the square of what was sent.
func pretty(value json.RawMessage) string {
	shown := beginning{most: maxJSON}
	shown.indent(value)
	if !shown.full {
		return string(shown.text)
	}
	text := strings.ToValidUTF8(string(shown.text), "")
	return fmt.Sprintf("%s… (cut here: the whole value has %d bytes)", text, len(value))
}

// updateView is what happened, with the way to the workflow behind it.
type updateView struct {
	update

	// Temporal leads to the workflow of the command, or to those of the party where only the node knows the command, which
	// is so of what it submits for its wallets; "" where nobody knows Temporal's UI.
	Temporal string
}

// happened shows an entry of the history in full.
func (s *site) happened(v *visit) error {
	found, err := v.update(v.r.PathValue("id"), v.party)
	if isStatus(err, http.StatusNotFound) {
		return &problem{
			Status: http.StatusNotFound, What: "There is no such update, or nothing in it is for you to see.",
			Next: "Look for it in the history.",
		}
	}
	if err != nil {
		return err
	}
	return s.show(v, "update", updateView{update: found, Temporal: s.workflowsOf(v, found.Command)})
}

// workflowsOf leads to the workflows of a command, or of the visitor's party, in Temporal's UI.
func (s *site) workflowsOf(v *visit, command string) string {
	query := `FlorinCommandId = "` + command + `"`
	if command == "" {
		query = `FlorinParty = "` + v.party + `"`
	}
	if s.TemporalUI == "" || strings.Contains(query, `\`) || strings.Count(query, `"`) != 2 {
		return ""
	}
	return s.TemporalUI + "/namespaces/" + url.PathEscape(s.TemporalNamespace) + "/workflows?query=" +
		url.QueryEscape(query)
}
