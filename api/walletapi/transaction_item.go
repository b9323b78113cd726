package walletapi

import (
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/history"
	"github.com/florinledger/florin/wallet/sentence"
)

// TransactionItem is an item of a wallet's history. The fields depend on the type.
type TransactionItem struct {
	Type    TransactionType    `json:"transaction_type" required:"true" doc:"The kind of the item"`
	Subtype TransactionSubtype `json:"transaction_subtype" required:"true" doc:"The choice"`
	EventID string             `json:"event_id" required:"true" doc:"Unique in the wallet; value for begin_after_id"`
	Date    endpoint.Timestamp `json:"date" required:"true" doc:"Effective time of the transaction"`

	Sender    *PartyAndAmount  `json:"sender" doc:"Transfers: the sender and the change of its coin"`
	Receivers []PartyAndAmount `json:"receivers" doc:"Receivers and their gain; 0 if the coin is set aside"`

	HoldingFees                *decimal.Decimal `json:"holding_fees" doc:"Transfers: always zero"`
	AppRewardsUsed             *decimal.Decimal `json:"app_rewards_used" doc:"Transfers: coin minted from app rewards"`
	ValidatorRewardsUsed       *decimal.Decimal `json:"validator_rewards_used" doc:"Transfers: coin minted from validator rewards"`
	SvRewardsUsed              *decimal.Decimal `json:"sv_rewards_used" doc:"Transfers: coin minted from super validator rewards"`
	DevelopmentFundCouponsUsed *decimal.Decimal `json:"development_fund_coupons_used" doc:"Transfers: coin minted from fund coupons"`

	InstructionReceiver *ledger.Party      `json:"transfer_instruction_receiver" doc:"Receiver of a transfer in two steps"`
	InstructionAmount   *decimal.Decimal   `json:"transfer_instruction_amount" doc:"Amount of a transfer in two steps"`
	InstructionID       *ledger.ContractID `json:"transfer_instruction_cid" doc:"Instruction of a transfer in two steps"`
	Description         *string            `json:"description" doc:"Transfers: the sender's text"`
	Details             string             `json:"details" doc:"Notifications: the text"`

	Sentence Sentence `json:"sentence" doc:"What happened, in words; only Florin has it"`
}

// Sentence says what happened.
type Sentence struct {
	Text  string         `json:"text" required:"true" doc:"The sentence, with the hints of party ids as names"`
	State SentenceState  `json:"state" required:"true" doc:"What became of the thing that the sentence is about"`
	Parts []SentencePart `json:"parts" required:"true" doc:"The sentence in parts, for other names and for links"`
}

// SentenceState is a state of a [Sentence].
type SentenceState string

// Names implements [endpoint.Enum].
func (SentenceState) Names() []string {
	return []string{"done", "waiting", "back", "refused", "expired", "quiet"}
}

// SentencePart is a part of a [Sentence].
type SentencePart struct {
	Text     string        `json:"text" required:"true" doc:"The words"`
	Role     string        `json:"role,omitempty" doc:"who, verb, amount or whom; empty for words between"`
	Party    *ledger.Party `json:"party,omitempty" doc:"The party that the words name"`
	Contract string        `json:"contract,omitempty" doc:"The contract that the words name"`
}

func toAPISentence(said sentence.Sentence) Sentence {
	shown := Sentence{Text: said.String(), State: SentenceState(said.State)}
	for _, part := range said.Parts {
		shown.Parts = append(shown.Parts, SentencePart{
			Text: part.Text, Role: string(part.Role), Party: orNull(ledger.Party(part.Party)), Contract: part.Contract,
		})
	}
	return shown
}

// TransactionType is the kind of an item.
type TransactionType string

// Names implements [endpoint.Enum].
func (TransactionType) Names() []string {
	return []string{"transfer", "balance_change", "notification", "unknown"}
}

// TransactionSubtype is the choice of an item.
type TransactionSubtype struct {
	TemplateID      string  `json:"template_id" required:"true" doc:"By package name"`
	Choice          string  `json:"choice" required:"true" doc:"Name of the choice"`
	AmuletOperation *string `json:"amulet_operation" doc:"The operation of a wallet's batch"`
	InterfaceID     *string `json:"interface_id" doc:"The interface of the choice"`
}

// PartyAndAmount is the change of a party's coin.
type PartyAndAmount struct {
	Party  ledger.Party    `json:"party" required:"true" doc:"The party"`
	Amount decimal.Decimal `json:"amount" required:"true" doc:"Change of the party's coin"`
}

// commonItem has the fields of all items, transferItem those of transfers.
type (
	commonItem struct {
		Type    TransactionType    `json:"transaction_type"`
		Subtype TransactionSubtype `json:"transaction_subtype"`
		EventID string             `json:"event_id"`
		Date    endpoint.Timestamp `json:"date"`

		Sentence Sentence `json:"sentence"`
	}
	transferItem struct {
		commonItem

		Sender                     *PartyAndAmount    `json:"sender"`
		Receivers                  []PartyAndAmount   `json:"receivers"`
		HoldingFees                *decimal.Decimal   `json:"holding_fees"`
		AppRewardsUsed             *decimal.Decimal   `json:"app_rewards_used"`
		ValidatorRewardsUsed       *decimal.Decimal   `json:"validator_rewards_used"`
		SvRewardsUsed              *decimal.Decimal   `json:"sv_rewards_used"`
		DevelopmentFundCouponsUsed *decimal.Decimal   `json:"development_fund_coupons_used"`
		InstructionReceiver        *ledger.Party      `json:"transfer_instruction_receiver"`
		InstructionAmount          *decimal.Decimal   `json:"transfer_instruction_amount"`
		InstructionID              *ledger.ContractID `json:"transfer_instruction_cid"`
		Description                *string            `json:"description"`
	}
)

// MarshalJSON writes only the fields of the type.
func (i TransactionItem) MarshalJSON() ([]byte, error) {
	common := commonItem{i.Type, i.Subtype, i.EventID, i.Date, i.Sentence}
	switch history.Kind(i.Type) {
	case history.KindTransfer:
		return json.Marshal(transferItem{
			common, i.Sender, i.Receivers, i.HoldingFees, i.AppRewardsUsed, i.ValidatorRewardsUsed, i.SvRewardsUsed,
			i.DevelopmentFundCouponsUsed, i.InstructionReceiver, i.InstructionAmount, i.InstructionID, i.Description,
		})
	case history.KindBalanceChange:
		return json.Marshal(struct {
			commonItem

			Receivers     []PartyAndAmount   `json:"receivers"`
			InstructionID *ledger.ContractID `json:"transfer_instruction_cid"`
		}{common, i.Receivers, i.InstructionID})
	case history.KindNotification:
		return json.Marshal(struct {
			commonItem

			Details string `json:"details"`
		}{common, i.Details})
	default:
		return json.Marshal(common)
	}
}

func toAPIItem(item history.Item) TransactionItem {
	shown := TransactionItem{
		Type: TransactionType(item.Kind), EventID: item.EventID, Date: endpoint.Timestamp(item.Date),
		Subtype: TransactionSubtype{
			TemplateID: item.Subtype.TemplateID, Choice: item.Subtype.Choice,
			AmuletOperation: orNull(item.Subtype.AmuletOperation), InterfaceID: orNull(item.Subtype.InterfaceID),
		},
		Sender:      &PartyAndAmount{item.Sender.Party, item.Sender.Amount},
		Receivers:   make([]PartyAndAmount, len(item.Receivers)),
		HoldingFees: &item.Rewards.HoldingFees, AppRewardsUsed: &item.Rewards.App,
		ValidatorRewardsUsed: &item.Rewards.Validator, SvRewardsUsed: &item.Rewards.SV,
		DevelopmentFundCouponsUsed: &item.Rewards.DevelopmentFund, Description: item.Description, Details: item.Details,
		Sentence: toAPISentence(item.Sentence),
	}
	for i, receiver := range item.Receivers {
		shown.Receivers[i] = PartyAndAmount{receiver.Party, receiver.Amount}
	}
	if instruction := item.Instruction; instruction != nil {
		shown.InstructionReceiver, shown.InstructionAmount = orNull(instruction.Receiver), instruction.Amount
		shown.InstructionID = &instruction.ID
	}
	return shown
}

// orNull returns nil for "".
func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
