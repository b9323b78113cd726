package web

import (
	"time"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/telemetry/trouble"
)

// auditFinding is a place in the record that breaks a rule.
type auditFinding struct {
	Rule     string `json:"rule"`
	Offset   int64  `json:"offset"`
	Contract string `json:"contract_id"`
	Detail   string `json:"detail"`
}

// auditView is the last proof of the audit.
type auditView struct {
	IsClean    bool            `json:"clean"`
	IsComplete bool            `json:"complete"`
	Start      int64           `json:"start_offset"`
	Offset     int64           `json:"offset"`
	Hash       string          `json:"hash"`
	Since      int64           `json:"proved_since_offset"`
	RecordTime *time.Time      `json:"record_time"`
	Opening    decimal.Decimal `json:"opening"`
	Minted     decimal.Decimal `json:"minted"`
	Burned     decimal.Decimal `json:"burned"`
	Supply     decimal.Decimal `json:"supply"`
	Held       decimal.Decimal `json:"held"`
	Holdings   int64           `json:"holdings"`
	Updates    int64           `json:"updates"`
	Count      int64           `json:"finding_count"`
	Findings   []auditFinding  `json:"findings"`
}

// Alarm says what to do about findings; nil if there are none.
func (a auditView) Alarm() *trouble.Trouble {
	alarm, known := trouble.Of("audit")
	if !known || a.IsClean {
		return nil
	}
	return &alarm
}

// audit shows the last proof of the audit, continued to the end of the ledger.
func (s *site) audit(v *visit) error {
	var data auditView
	if err := v.api.Get(v.ctx(), "/v0/admin/audit", &data); err != nil {
		return err
	}
	return s.show(v, "admin_audit", data)
}
