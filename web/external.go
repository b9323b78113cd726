package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

const (
	externalPath = "/wallet/external"
	externalAPI  = "/v0/admin/external-party"
)

// externalView shows the parties whose keys are outside the node, and one of them.
type externalView struct {
	// Parties are those that the visitor may act as; More is the number of the others.
	Parties []string
	More    int
	// Operates is true if the visitor administers the node: only operators work for such parties.
	Operates bool
	// Chosen is the party that the visitor chose; "" for none.
	Chosen string
	// Held is the balance of the party. IsOpen is false until the party has accepted its preapproval, and Proposed is
	// true if a proposal waits for its signature.
	Held             decimal.Decimal
	IsOpen, Proposed bool
	// Sent says how the transfer that the visitor signed last goes on; nil without one.
	Sent             *sentTransfer
	To, Amount, Note string
	Problem          *problem
}

func (s *site) external(v *visit) error {
	data, err := s.externalView(v, v.r.URL.Query().Get("party"))
	if err != nil {
		return s.refuseExternal(v, "", order{}, err)
	}
	return s.show(v, "external", data)
}

// refuseExternal shows the page with the reason of a refusal, and what was typed.
func (s *site) refuseExternal(v *visit, party string, typed order, err error) error {
	return refused(s, v, "external", err, func() (externalView, error) { return s.externalView(v, party) },
		func(data *externalView, why *problem) {
			data.To, data.Amount, data.Note, data.Problem = typed.To, typed.Amount, typed.Note, why
		})
}

func (s *site) externalView(v *visit, party string) (data externalView, err error) {
	var out struct {
		Rights []struct {
			Kind map[string]struct {
				Value struct {
					Party string `json:"party"`
				} `json:"value"`
			} `json:"kind"`
		} `json:"rights"`
	}
	if err := v.api.Get(v.ctx(), "/v2/users/"+url.PathEscape(v.session.User)+"/rights", &out); err != nil {
		return data, err
	}
	for _, right := range out.Rights {
		for kind, of := range right.Kind {
			if kind == "CanActAs" && foreignFingerprint(s.Participant, of.Value.Party) != "" {
				data.Parties = append(data.Parties, of.Value.Party)
			}
			data.Operates = data.Operates || kind == "ParticipantAdmin"
		}
	}
	slices.Sort(data.Parties)
	data.Parties, data.More = firstOf(data.Parties)
	if party == "" || !data.Operates {
		return data, nil
	}
	data.Chosen = party
	data.Held, err = v.externalBalance(party)
	if isStatus(err, http.StatusNotFound) {
		proposal, err := v.proposalFor(party)
		data.Proposed = proposal != ""
		return data, err
	}
	data.IsOpen = true
	if nonce, isNumber := numberIn(v.r.URL.Query().Get("sent")); err == nil && isNumber {
		data.Sent, err = v.sentTransfer(party, nonce)
	}
	return data, err
}

// externalBalance is the coin that a party can spend. The error is of the status 404 if the party has no preapproval.
func (v *visit) externalBalance(party string) (decimal.Decimal, error) {
	var held struct {
		Available decimal.Decimal `json:"total_available_coin"`
	}
	err := v.api.Get(v.ctx(), externalAPI+"/balance?"+url.Values{"party_id": {party}}.Encode(), &held)
	return held.Available, err
}

// proposalFor finds the preapproval that the operator proposed to a party; "" if there is none.
func (v *visit) proposalFor(party string) (string, error) {
	var out struct {
		Contracts []struct {
			Contract contract[struct {
				User string `json:"user"`
			}] `json:"contract"`
		} `json:"contracts"`
	}
	err := v.api.Get(v.ctx(), externalAPI+"/setup-proposal", &out)
	for _, one := range out.Contracts {
		if one.Contract.Payload.User == party {
			return one.Contract.ID, err
		}
	}
	return "", err
}

// signature asks the browser for a signature of each transaction: the key never leaves the browser.
type signature struct {
	// Title and Button say what is signed, Facts what the visitor should check.
	Title, Button string
	Facts         []field
	// Party signs, or will be made with the key PublicKey.
	Party, PublicKey string
	// Action is the path that takes the signatures.
	Action string
	// Once is the key of the form.
	Once    string
	Signed  []toSign
	Hidden  []field
	Problem *problem
}

// toSign is a transaction and its hash, in hexadecimal, all bytes of which are signed.
type toSign struct{ Transaction, Hash string }

// newExternal shows the topology transactions of a new party, for signing.
func (s *site) newExternal(v *visit) error {
	query := v.r.URL.Query()
	name, key := query.Get("name"), query.Get("key")
	var out struct {
		Party        string `json:"party_id"`
		Transactions []struct {
			Transaction string `json:"topology_tx"`
			Hash        string `json:"hash"`
		} `json:"topology_txs"`
	}
	err := v.api.Post(v.ctx(), externalAPI+"/topology/generate",
		map[string]any{"party_hint": name, "public_key": key}, &out)
	if err != nil {
		return s.refuseExternal(v, "", order{}, err)
	}
	data := signature{
		Title: "Create this party?", Button: "Sign and create " + client.PartyName(out.Party), Party: out.Party,
		PublicKey: key, Action: externalPath + "/new", Once: rand.Text(), Facts: []field{{"Public key", key}},
	}
	for _, one := range out.Transactions {
		data.Signed = append(data.Signed, toSign{one.Transaction, one.Hash})
	}
	return s.show(v, "sign", data)
}

// createExternal creates the party with the signed transactions.
func (s *site) createExternal(v *visit) error {
	transactions, signatures := v.r.PostForm["transaction"], v.r.PostForm["signature"]
	if len(transactions) != len(signatures) {
		return &problem{Status: http.StatusBadRequest, What: "The form lacks a signature of a transaction."}
	}
	signed := make([]map[string]any, len(transactions))
	for i := range transactions {
		signed[i] = map[string]any{"topology_tx": transactions[i], "signed_hash": signatures[i]}
	}
	party := v.field("party")
	err := v.change("Create the party "+client.PartyName(party), http.MethodPost, externalAPI+"/topology/submit",
		map[string]any{"public_key": v.field("key"), "signed_topology_txs": signed}, nil)
	if err != nil {
		return s.refuseExternal(v, "", order{}, err)
	}
	return s.done(v, externalOf(party), "You created the party "+client.PartyName(party)+".")
}

func externalOf(party string) string {
	return externalPath + "?" + url.Values{"party": {party}}.Encode()
}

// proposeExternal pays for a preapproval of the party, which the party then accepts with its signature.
func (s *site) proposeExternal(v *visit) error {
	party := v.field("party")
	err := v.change("Pay for automatic receiving of "+client.PartyName(party), http.MethodPost,
		externalAPI+"/setup-proposal", map[string]any{"user_party_id": party}, nil)
	if err != nil {
		return s.refuseExternal(v, party, order{}, err)
	}
	return s.done(v, acceptOf(party), "The operator paid for automatic receiving. The party has to agree.")
}

func acceptOf(party string) string {
	return externalPath + "/accept?" + url.Values{"party": {party}}.Encode()
}

// preparedTransaction is a transaction to sign in the API's JSON.
type preparedTransaction struct {
	Transaction string `json:"transaction"`
	Hash        string `json:"tx_hash"`
}

// acceptExternal shows the acceptance of the preapproval, for signing.
func (s *site) acceptExternal(v *visit) error {
	party := v.r.URL.Query().Get("party")
	proposal, err := v.proposalFor(party)
	if err == nil && proposal == "" {
		err = &problem{
			Status: http.StatusNotFound, What: "Nothing waits for a signature of " + client.PartyName(party) + ".",
			Next: "Turn on automatic receiving first.",
		}
	}
	var out preparedTransaction
	if err == nil {
		err = v.api.Post(v.ctx(), externalAPI+"/setup-proposal/prepare-accept",
			map[string]any{"contract_id": proposal, "user_party_id": party}, &out)
	}
	if err != nil {
		return s.refuseExternal(v, party, order{}, err)
	}
	return s.show(v, "sign", signature{
		Title: "Turn on automatic receiving?", Button: "Sign and turn it on", Party: party, Action: externalPath + "/accept",
		Once:   rand.Text(),
		Signed: []toSign{{out.Transaction, out.Hash}},
		Facts:  []field{{"What happens", "The party gets coin at once, without a signature for each payment."}},
	})
}

// submission is a signed transaction in the API's JSON.
func (v *visit) submission() map[string]any {
	return map[string]any{"submission": map[string]any{
		"party_id": v.field("party"), "transaction": v.field("transaction"), "signed_tx_hash": v.field("signature"),
		"public_key": v.field("key"),
	}}
}

// finishAccept turns automatic receiving on with the signed acceptance.
func (s *site) finishAccept(v *visit) error {
	party := v.field("party")
	err := v.change("Turn on automatic receiving of "+client.PartyName(party), http.MethodPost,
		externalAPI+"/setup-proposal/submit-accept", v.submission(), nil)
	if err != nil {
		return s.refuseExternal(v, party, order{}, err)
	}
	return s.done(v, externalOf(party), "Automatic receiving is on.")
}
