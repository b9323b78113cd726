package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// The interfaces of the token standard.
const (
	HoldingInterface     = "#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding"
	InstructionInterface = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferInstruction"
	TransferFactoryInterface = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferFactory"
	AllocationInterface        = "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation"
	AllocationFactoryInterface = "#splice-api-token-allocation-instruction-v1:" +
		"Splice.Api.Token.AllocationInstructionV1:AllocationFactory"
)

// MaxViewBytes limits a view: those of published packages have about 500 bytes.
const MaxViewBytes = 16 << 10

// ErrViewTooLarge is the error of a view above [MaxViewBytes].
var ErrViewTooLarge = fmt.Errorf("its view is larger than %d bytes, the most that wallets read", MaxViewBytes)

// Instrument is the name of a token: a party that administers it, and that party's name for it.
type Instrument struct {
	Admin ledger.Party `json:"admin"`
	ID    string       `json:"id"`
}

// Lock is the lock of a holding.
type Lock struct {
	Holders   []ledger.Party `json:"holders"`
	ExpiresAt *time.Time     `json:"expiresAt"`
	Context   *string        `json:"context"`
}

// Claim is the view of a holding.
type Claim struct {
	Owner      ledger.Party    `json:"owner"`
	Instrument Instrument      `json:"instrumentId"`
	Amount     decimal.Decimal `json:"amount"`
	Lock       *Lock           `json:"lock"`
}

// Holding is a contract with its claim.
type Holding struct {
	Contract ledger.Contract
	Claim    Claim
	// View is the claim as the package's code computed it.
	View json.RawMessage
}

// ReadView decodes a view into a claim of any kind.
func ReadView(view []byte, claim any) error {
	if len(view) > MaxViewBytes {
		return ErrViewTooLarge
	}
	if err := json.Unmarshal(view, claim); err != nil {
		return errors.New("its view is not one of the token standard")
	}
	return nil
}

// ReadHolding reads the view of a contract.
func ReadHolding(contract ledger.Contract, view []byte) (Holding, error) {
	holding := Holding{Contract: contract, View: view}
	if err := ReadView(view, &holding.Claim); err != nil {
		return holding, err
	}
	if amount := holding.Claim.Amount; amount.Sign() <= 0 {
		return holding, fmt.Errorf("it claims the amount %s, which is not more than 0", amount.Show())
	}
	return holding, nil
}

// IsSigned reports whether the claimed administrator signed the contract.
func (h Holding) IsSigned() bool {
	return slices.Contains(h.Contract.Signatories, h.Claim.Instrument.Admin)
}
