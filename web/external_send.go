package web

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// sentTransfer is the state of a transfer that a party with its own key has signed.
type sentTransfer struct {
	// Status is "created" until the operator executes the transfer, then "sent" or "failed".
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// sentTransfer finds the transfer of a number; nil if there is none. A number is used once, unless the transfer failed.
func (v *visit) sentTransfer(party string, nonce int64) (*sentTransfer, error) {
	var out struct {
		Commands map[string]struct {
			Status sentTransfer `json:"status"`
		} `json:"transfer_commands_by_contract_id"`
	}
	query := url.Values{"sender": {party}, "nonce": {strconv.FormatInt(nonce, 10)}}
	err := v.api.Get(v.ctx(), "/v0/scan-proxy/transfer-command/status?"+query.Encode(), &out)
	if isStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	var last *sentTransfer
	for _, one := range out.Commands {
		if last == nil || last.Status == "failed" {
			last = &one.Status
		}
	}
	return last, err
}

// signedBefore refuses a number that a transfer of the party has used or waits with: the ledger executes one of them.
func (v *visit) signedBefore(party string, nonce int64) error {
	next, err := v.nextNonce(party)
	if err != nil {
		return err
	}
	sent, err := v.sentTransfer(party, nonce)
	if err != nil || nonce >= next && (sent == nil || sent.Status == "failed") {
		return err
	}
	return &problem{
		Status: http.StatusConflict, What: client.PartyName(party) + " has signed this transfer, or another one with its number.",
		Next: "Look at the balance, and prepare the transfer again if it is missing.",
	}
}

// openExternalSend leads from the form to the transfer to sign. The address has its number and its deadline, so that a
// page that is loaded again is the same transfer.
func (s *site) openExternalSend(v *visit) error {
	query := v.r.URL.Query()
	if query.Get("once") != "" {
		return s.showExternalSend(v, query)
	}
	nonce, err := v.nextNonce(query.Get("party"))
	if err != nil {
		return s.refuseExternal(v, "", orderOf(query), err)
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	query.Set("once", rand.Text())
	query.Set("nonce", strconv.FormatInt(nonce, 10))
	query.Set("expires", strconv.FormatInt(now.Add(day).UnixMicro(), 10))
	return s.openAt(v, externalPath+"/send", query, s.showExternalSend)
}

// showExternalSend shows a transfer of an external party, for signing.
func (s *site) showExternalSend(v *visit, query url.Values) error {
	party, typed := query.Get("party"), orderOf(query)
	nonce, isNumber := numberIn(query.Get("nonce"))
	expires, isTime := numberIn(query.Get("expires"))
	if !isNumber || !isTime {
		return s.refuseExternal(v, party, typed, unprocessable("This address has no transfer.", "Prepare the transfer again."))
	}
	amount, receiver, err := s.externalOrder(v, party, typed)
	if err == nil {
		err = v.signedBefore(party, nonce)
	}
	var out preparedTransaction
	if err == nil {
		err = v.api.Post(v.ctx(), externalAPI+"/transfer-preapproval/prepare-send", map[string]any{
			"sender_party_id": party, "receiver_party_id": receiver, "amount": json.Number(amount.Show()),
			"expires_at": time.UnixMicro(expires).UTC(), "nonce": nonce, "description": typed.Note,
		}, &out)
	}
	if err != nil {
		return s.refuseExternal(v, party, typed, err)
	}
	text := coins(amount) + " to " + client.PartyName(receiver)
	facts := []field{{"From", party}, {"To", receiver}}
	if typed.Note != "" {
		facts = append(facts, field{"Note", typed.Note})
	}
	return s.show(v, "sign", signature{
		Title: "Send " + text + "?", Button: "Sign and send " + text, Party: party, Action: externalPath + "/send",
		Signed: []toSign{{out.Transaction, out.Hash}}, Facts: facts, Once: query.Get("once"),
		Hidden: []field{{"what", text}, {"nonce", query.Get("nonce")}},
	})
}

// externalOrder reads the input of a transfer that the party can pay.
func (s *site) externalOrder(v *visit, party string, typed order) (amount decimal.Decimal, receiver string, err error) {
	if amount, err = amountOf(typed.Amount); err != nil {
		return amount, "", err
	}
	if receiver, err = s.receiver(v, typed.To); err != nil {
		return amount, "", err
	}
	held, err := v.externalBalance(party)
	if err == nil && amount.Cmp(held) > 0 {
		err = unprocessable(client.PartyName(party)+" can spend "+coins(held)+", and "+coins(amount)+" is more than that.",
			"Write a smaller amount.")
	}
	return amount, receiver, err
}

// nextNonce reads the number of the party's next transfer.
func (v *visit) nextNonce(party string) (int64, error) {
	var out struct {
		Counter struct {
			Contract contract[struct {
				Next string `json:"nextNonce"`
			}] `json:"contract"`
		} `json:"transfer_command_counter"`
	}
	err := v.api.Get(v.ctx(), "/v0/scan-proxy/transfer-command-counter/"+url.PathEscape(party), &out)
	if isStatus(err, http.StatusNotFound) {
		return 0, nil // its first transfer
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(out.Counter.Contract.Payload.Next, 10, 64)
}

// finishSend hands the signed transfer to the operator, who executes it.
func (s *site) finishSend(v *visit) error {
	party, what := v.field("party"), v.field("what")
	nonce, isNumber := numberIn(v.field("nonce"))
	if !isNumber {
		return &problem{Status: http.StatusBadRequest, What: "The form has no number for the transfer."}
	}
	err := v.signedBefore(party, nonce)
	if err == nil {
		err = v.change("Send "+what, http.MethodPost, externalAPI+"/transfer-preapproval/submit-send", v.submission(), nil)
	}
	if err != nil {
		return s.refuseExternal(v, party, order{}, err)
	}
	return s.done(v, externalOf(party)+"&sent="+v.field("nonce"), client.PartyName(party)+" signed: send "+what+".")
}
