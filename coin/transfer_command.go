package coin

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferCommand is a transfer that its sender signed and a delegate executes later, with the coin and rounds at that
// time. Upstream replaced it with the token standard.
type TransferCommand struct {
	_         struct{}        `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand"`
	DSO       Party           `lf:"dso"`
	Sender    Party           `lf:"sender"`
	Receiver  Party           `lf:"receiver"`
	Delegate  Party           `lf:"delegate"`
	Amount    decimal.Decimal `lf:"amount"`
	ExpiresAt lf.Timestamp    `lf:"expiresAt"`
	// Nonce is the position of the command in the order of the sender's, from 0 on.
	Nonce       int64   `lf:"nonce"`
	Description *string `lf:"description"`
}

// TransferCommandCounter is the nonce that the next command of a sender must have. The DSO creates it when the first
// command of a sender appears.
type TransferCommandCounter struct {
	_         struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandCounter"`
	DSO       Party    `lf:"dso"`
	Sender    Party    `lf:"sender"`
	NextNonce int64    `lf:"nextNonce"`
}

func (c TransferCommandCounter) dso() Party   { return c.DSO }
func (c TransferCommandCounter) owner() Party { return c.Sender }

// TransferCommandSend executes the command.
type TransferCommandSend struct {
	_       struct{}               `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_Send"`
	Context PaymentTransferContext `lf:"context"`
	Inputs  []TransferInput        `lf:"inputs"`
	// TransferPreapprovalCidO is nil if the receiver has no preapproval: the command then fails and uses its nonce.
	TransferPreapprovalCidO *lf.CID[TransferPreapproval]   `lf:"transferPreapprovalCidO"`
	TransferCounterCid      lf.CID[TransferCommandCounter] `lf:"transferCounterCid"`
}

// TransferCommandSendResult is the result of [TransferCommandSend].
type TransferCommandSendResult struct {
	_      struct{}              `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_SendResult"`
	Result TransferCommandResult `lf:"result"`
	Sender Party                 `lf:"sender"`
	Nonce  int64                 `lf:"nonce"`
}

// TransferCommandResult is the outcome of a command. Exactly one field is set.
type TransferCommandResult struct {
	_       struct{}                `lf:"variant splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandResult"`
	Failure *TransferCommandFailure `lf:"TransferCommandResultFailure"`
	Success *TransferCommandSuccess `lf:"TransferCommandResultSuccess"`
}

// TransferCommandFailure is the reason why no coin moved.
type TransferCommandFailure struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandResult.TransferCommandResultFailure"`

	Reason InvalidTransferReason `lf:"reason"`
}

// TransferCommandSuccess is the result of the transfer.
type TransferCommandSuccess struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandResult.TransferCommandResultSuccess"`

	Result TransferResult `lf:"result"`
}

// TransferCommandWithdraw takes the command back; its nonce stays unused.
type TransferCommandWithdraw struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_Withdraw"`
}

// TransferCommandWithdrawResult is the result of [TransferCommandWithdraw].
type TransferCommandWithdrawResult struct {
	_      struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_WithdrawResult"`
	Sender Party    `lf:"sender"`
	Nonce  int64    `lf:"nonce"`
}

// TransferCommandExpire archives a command that has expired.
type TransferCommandExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_Expire"`
	P Party    `lf:"p"`
}

// TransferCommandExpireResult is the result of [TransferCommandExpire].
type TransferCommandExpireResult struct {
	_      struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand_ExpireResult"`
	Sender Party    `lf:"sender"`
	Nonce  int64    `lf:"nonce"`
}

func transferCommandTemplate() ledger.TemplateSource {
	type command = TransferCommand
	return ledger.Template[command]{
		Network:     ledger.DSOSigned(func(c command) Party { return c.DSO }),
		Signatories: func(c command) []Party { return []Party{c.Sender, c.DSO} },
		Observers:   func(c command) []Party { return []Party{c.Delegate} },
		Choices: []ledger.ChoiceOf[command]{
			ledger.Choice[command, TransferCommandSend, TransferCommandSendResult]{
				Consuming:   true,
				Controllers: func(c command, _ TransferCommandSend) []Party { return []Party{c.Delegate} },
				Body:        sendCommand,
			},
			ledger.Choice[command, TransferCommandWithdraw, TransferCommandWithdrawResult]{
				Consuming:   true,
				Controllers: func(c command, _ TransferCommandWithdraw) []Party { return []Party{c.Sender} },
				Body: func(
					_ *ledger.Tx, _ lf.CID[command], c command, _ TransferCommandWithdraw,
				) (TransferCommandWithdrawResult, error) {
					return TransferCommandWithdrawResult{Sender: c.Sender, Nonce: c.Nonce}, nil
				},
			},
			ledger.Choice[command, TransferCommandExpire, TransferCommandExpireResult]{
				Consuming:   true,
				Controllers: func(_ command, arg TransferCommandExpire) []Party { return []Party{arg.P} },
				Body:        expireCommand,
			},
		},
	}
}

func transferCommandCounterTemplate() ledger.TemplateSource {
	return ledger.Template[TransferCommandCounter]{
		Network:     ledger.DSOSigned(TransferCommandCounter.dso),
		Signatories: func(c TransferCommandCounter) []Party { return []Party{c.DSO} },
		Observers:   func(c TransferCommandCounter) []Party { return []Party{c.Sender} },
	}
}

// sendCommand executes a command in the order of its sender's nonces. A failure that is final archives the command and
// is in the result. Any other failure aborts, so that the delegate can try again.
func sendCommand(
	tx *ledger.Tx, _ lf.CID[TransferCommand], command TransferCommand, arg TransferCommandSend,
) (none TransferCommandSendResult, err error) {
	counter, err := fetchForOwner(tx, command.DSO, command.Sender, arg.TransferCounterCid)
	if err != nil {
		return none, err
	}
	switch {
	case counter.NextNonce > command.Nonce:
		return command.failed("Expected nonce %d is smaller than the next nonce %d of the counter",
			command.Nonce, counter.NextNonce), nil
	case counter.NextNonce < command.Nonce:
		return none, ledger.Abort("Nonce %d of the command is ahead of the next nonce %d of the counter: "+
			"execute the commands before it first", command.Nonce, counter.NextNonce)
	}
	if err := ledger.ArchiveContract(tx, arg.TransferCounterCid); err != nil {
		return none, err
	}
	if counter.NextNonce, err = ledger.Sum(counter.NextNonce, 1); err != nil {
		return none, err
	}
	if _, err := ledger.Create(tx, counter); err != nil {
		return none, err
	}
	if arg.TransferPreapprovalCidO == nil {
		return command.failed("No TransferPreapproval for receiver %s", quoted(command.Receiver)), nil
	}
	preapproval := *arg.TransferPreapprovalCidO
	if _, err := fetchForOwner(tx, command.DSO, command.Receiver, preapproval); err != nil {
		return none, err
	}
	if err := ledger.RequireWithinDeadline(tx, "TransferCommand.expiresAt", command.ExpiresAt); err != nil {
		return none, err
	}
	sent, err := ledger.Exercise[TransferPreapprovalSendResult](tx, preapproval, TransferPreapprovalSend{
		Context: arg.Context, Inputs: arg.Inputs, Amount: command.Amount, Sender: command.Sender,
		Description: command.Description,
	})
	return TransferCommandSendResult{
		Result: TransferCommandResult{Success: &TransferCommandSuccess{Result: sent.Result}},
		Sender: command.Sender, Nonce: command.Nonce,
	}, err
}

func (c TransferCommand) failed(format string, args ...any) TransferCommandSendResult {
	reason := InvalidTransferReason{Other: &ReasonOther{Description: fmt.Sprintf(format, args...)}}
	return TransferCommandSendResult{
		Result: TransferCommandResult{Failure: &TransferCommandFailure{Reason: reason}},
		Sender: c.Sender, Nonce: c.Nonce,
	}
}

func expireCommand(
	tx *ledger.Tx, _ lf.CID[TransferCommand], command TransferCommand, arg TransferCommandExpire,
) (none TransferCommandExpireResult, err error) {
	stakeholder := arg.P == command.DSO || arg.P == command.Sender || arg.P == command.Delegate
	if err := ledger.Require("Actor "+quoted(arg.P)+" is a stakeholder", stakeholder); err != nil {
		return none, err
	}
	return TransferCommandExpireResult{Sender: command.Sender, Nonce: command.Nonce},
		ledger.RequireDeadlineExceeded(tx, "TransferCommand.expiresAt", command.ExpiresAt)
}
