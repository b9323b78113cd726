package ledger

import (
	"encoding/json"
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

// Contract is a created contract as the record keeps it.
type Contract struct {
	ID          ContractID      `json:"contractId"`
	Template    lf.TypeName     `json:"templateId"`
	PackageName string          `json:"packageName"`
	Payload     json.RawMessage `json:"payload"`
	// Signatories and Observers are sorted; a signatory is never repeated among the observers.
	Signatories []Party `json:"signatories"`
	Observers   []Party `json:"observers,omitempty"`
	// Key is nil for templates without a contract key.
	Key *ContractKey `json:"key,omitempty"`
	// CreatedAt is the ledger effective time of the creating transaction.
	CreatedAt time.Time `json:"createdAt"`
	// InNetwork: the contract belongs to the ledger's network, as the commit decided. It is false for contracts that did
	// not come from a ledger, such as disclosed ones.
	InNetwork bool `json:"-"`
}

// ContractKey is the key of a contract and the parties that maintain its uniqueness.
type ContractKey struct {
	Value       json.RawMessage `json:"value"`
	Hash        string          `json:"hash"` // 64 hexadecimal characters
	Maintainers []Party         `json:"maintainers"`
}
