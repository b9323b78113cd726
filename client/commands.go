package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Commands is one submission: its commands form one transaction or none.
type Commands struct {
	CommandID    string    `json:"commandId"`
	ActAs        []string  `json:"actAs"`
	ReadAs       []string  `json:"readAs,omitempty"`
	Commands     []Command `json:"commands"`
	SubmissionID string    `json:"submissionId,omitempty"`
	WorkflowID   string    `json:"workflowId,omitempty"`
	UserID       string    `json:"userId,omitempty"`
	// DeduplicationPeriod is {"DeduplicationDuration":…} or {"DeduplicationOffset":…}; nil for the node's default.
	DeduplicationPeriod map[string]any `json:"deduplicationPeriod,omitempty"`
	MinLedgerTimeAbs    string         `json:"minLedgerTimeAbs,omitempty"`
	// Disclosed are contracts that the commands use but their parties cannot see.
	Disclosed []Disclosed `json:"disclosedContracts,omitempty"`
}

// Disclosed is a contract that a client discloses to the node.
type Disclosed struct {
	ContractID       string `json:"contractId"`
	CreatedEventBlob string `json:"createdEventBlob"`
}

// Command is one command; exactly one field is set.
type Command struct {
	Create            *Create            `json:"CreateCommand,omitempty"`
	Exercise          *Exercise          `json:"ExerciseCommand,omitempty"`
	ExerciseByKey     *ExerciseByKey     `json:"ExerciseByKeyCommand,omitempty"`
	CreateAndExercise *CreateAndExercise `json:"CreateAndExerciseCommand,omitempty"`
}

// Create creates a contract. CreateArguments is any value that marshals to the payload's JSON.
type Create struct {
	TemplateID      string `json:"templateId"`
	CreateArguments any    `json:"createArguments"`
}

// Exercise exercises a choice on a contract.
type Exercise struct {
	TemplateID     string `json:"templateId"`
	ContractID     string `json:"contractId"`
	Choice         string `json:"choice"`
	ChoiceArgument any    `json:"choiceArgument"`
}

// ExerciseByKey exercises a choice on the contract with the key.
type ExerciseByKey struct {
	TemplateID     string `json:"templateId"`
	ContractKey    any    `json:"contractKey"`
	Choice         string `json:"choice"`
	ChoiceArgument any    `json:"choiceArgument"`
}

// CreateAndExercise creates a contract and exercises a choice on it.
type CreateAndExercise struct {
	TemplateID      string `json:"templateId"`
	CreateArguments any    `json:"createArguments"`
	Choice          string `json:"choice"`
	ChoiceArgument  any    `json:"choiceArgument"`
}

// Outcome is the update and the offset of an accepted submission.
type Outcome struct {
	UpdateID         string `json:"updateId"`
	CompletionOffset int64  `json:"completionOffset"`
}

// Submit returns when the node has stored the submission durably; the completion comes later.
func (c *Client) Submit(ctx context.Context, commands Commands) error {
	return c.Post(ctx, "/v2/commands/async/submit", commands, nil)
}

// SubmitAndWait submits and waits until the transaction is committed. A refused submission is an [Error].
func (c *Client) SubmitAndWait(ctx context.Context, commands Commands) (Outcome, error) {
	var outcome Outcome
	err := c.Post(ctx, "/v2/commands/submit-and-wait", commands, &outcome)
	return outcome, err
}

// SubmitAndWaitForTransaction is [Client.SubmitAndWait] that returns the created and archived contracts which the
// acting and reading parties see.
func (c *Client) SubmitAndWaitForTransaction(ctx context.Context, commands Commands) (Transaction, error) {
	in := map[string]Commands{"commands": commands}
	var out struct {
		Transaction Transaction `json:"transaction"`
	}
	err := c.Post(ctx, "/v2/commands/submit-and-wait-for-transaction", in, &out)
	return out.Transaction, err
}

// Transaction is a committed transaction as some parties see it.
type Transaction struct {
	UpdateID   string  `json:"updateId"`
	CommandID  string  `json:"commandId"`
	WorkflowID string  `json:"workflowId"`
	Offset     int64   `json:"offset"`
	RecordTime string  `json:"recordTime"`
	Events     []Event `json:"events"`
}

// Event is one event of a transaction; exactly one field is set.
type Event struct {
	Created   *CreatedEvent   `json:"CreatedEvent"`
	Archived  *ArchivedEvent  `json:"ArchivedEvent"`
	Exercised *ExercisedEvent `json:"ExercisedEvent"`
}

// CreatedEvent is a created contract, or an active contract in a list.
type CreatedEvent struct {
	Offset           int64           `json:"offset"`
	NodeID           int32           `json:"nodeId"`
	ContractID       string          `json:"contractId"`
	TemplateID       string          `json:"templateId"` // with the package id
	PackageName      string          `json:"packageName"`
	CreateArgument   json.RawMessage `json:"createArgument"`
	CreatedEventBlob string          `json:"createdEventBlob"`
	Signatories      []string        `json:"signatories"`
	Observers        []string        `json:"observers"`
	WitnessParties   []string        `json:"witnessParties"`
}

// ArchivedEvent is the end of a contract.
type ArchivedEvent struct {
	Offset         int64    `json:"offset"`
	NodeID         int32    `json:"nodeId"`
	ContractID     string   `json:"contractId"`
	TemplateID     string   `json:"templateId"`
	WitnessParties []string `json:"witnessParties"`
}

// ExercisedEvent is an exercised choice.
type ExercisedEvent struct {
	Offset         int64           `json:"offset"`
	NodeID         int32           `json:"nodeId"`
	ContractID     string          `json:"contractId"`
	TemplateID     string          `json:"templateId"`
	InterfaceID    *string         `json:"interfaceId"`
	Choice         string          `json:"choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument"`
	ExerciseResult json.RawMessage `json:"exerciseResult"`
	ActingParties  []string        `json:"actingParties"`
	Consuming      bool            `json:"consuming"`
}

// Created lists the contracts of a template that the transaction created and did not archive. The template has no
// package: "Splice.Amulet:Amulet".
func (t Transaction) Created(entity string) []CreatedEvent {
	var created []CreatedEvent
	for _, event := range t.Events {
		if event.Created != nil && isEntity(event.Created.TemplateID, entity) {
			created = append(created, *event.Created)
		}
	}
	return created
}

// oneOf decodes {"Kind":{…}} into the kind and its content.
func oneOf(raw map[string]json.RawMessage) (string, json.RawMessage, error) {
	if len(raw) != 1 {
		return "", nil, fmt.Errorf("expected exactly one kind, got %v", slices.Sorted(maps.Keys(raw)))
	}
	for kind, content := range raw {
		return kind, content, nil
	}
	return "", nil, nil
}
