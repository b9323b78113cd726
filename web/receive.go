package web

import (
	"net/http"
	"time"
)

const preapprovalPath = "/v0/wallet/transfer-preapproval"

type receiveView struct {
	// Code is the party id as a QR code; nil if the id is too long for one.
	Code *qrCode
	// On is true if the receiver has a preapproval, until Expires.
	On       bool
	Provider string
	Expires  time.Time
	Left     string
	// Run is the preview of turning it on, WhyNot the reason why that would fail.
	Run     *dryRun
	WhyNot  *problem
	Problem *problem
}

func (s *site) receive(v *visit) error {
	data, err := s.receiveOf(v)
	if err != nil {
		return err
	}
	return s.show(v, "receive", data)
}

func (s *site) receiveOf(v *visit) (data receiveView, err error) {
	data.Code, _ = qrOf(v.party) // the id stands beside it
	var out struct {
		Found struct {
			Contract contract[struct {
				Provider string    `json:"provider"`
				Expires  time.Time `json:"expiresAt"`
			}] `json:"contract"`
		} `json:"transfer_preapproval"`
	}
	switch err := v.api.Get(v.ctx(), preapprovalPath, &out); {
	case isStatus(err, http.StatusNotFound):
		data.Run = &dryRun{}
		if err := v.api.Post(v.ctx(), preapprovalPath+"?dry_run=true", map[string]any{}, data.Run); err != nil {
			return data, err
		}
		data.WhyNot = data.Run.asProblem()
		return data, nil
	case err != nil:
		return data, err
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return data, err
	}
	found := out.Found.Contract.Payload
	data.On, data.Provider, data.Expires, data.Left = true, found.Provider, found.Expires, leftOf(found.Expires, now)
	return data, nil
}

// preapprove turns automatic receiving on.
func (s *site) preapprove(v *visit) error {
	err := v.change("Turn on automatic receiving", http.MethodPost, preapprovalPath, map[string]any{}, nil)
	return s.finishPreapproval(v, err, "Automatic receiving is on.")
}

// cancelPreapproval turns automatic receiving off.
func (s *site) cancelPreapproval(v *visit) error {
	err := v.change("Turn off automatic receiving", http.MethodDelete, preapprovalPath, nil, nil)
	return s.finishPreapproval(v, err, "Automatic receiving is off.")
}

func (s *site) finishPreapproval(v *visit, err error, notice string) error {
	if err == nil {
		return s.done(v, "/wallet/receive", notice)
	}
	return refused(s, v, "receive", err, func() (receiveView, error) { return s.receiveOf(v) },
		func(data *receiveView, why *problem) { data.Problem = why })
}
