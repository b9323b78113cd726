package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// CompletionsQuery asks for completions.
type CompletionsQuery struct {
	// User is the submitter; nil for all.
	User *ledger.Identity
	// Parties: a completion matches when at least one of its acting parties is listed. Nil without a User matches every
	// completion.
	Parties []ledger.Party
	After   ledger.Offset // exclusive
	UpTo    ledger.Offset // inclusive
	Limit   int32
}

// Change is the last accepted submission of a change id (contract, commandId).
type Change struct {
	// Offset of its completion.
	Offset ledger.Offset
	// AcceptedAt is the record time of its completion.
	AcceptedAt   time.Time
	SubmissionID string
}

// Completions lists completions in ascending order of their offsets. ActAs is complete: the caller reduces it to the
// parties of the reader.
func (r Reader) Completions(ctx context.Context, query CompletionsQuery) ([]ledger.Completion, error) {
	rows, err := r.listCompletions(ctx, query)
	if err != nil {
		return nil, failed("listing completions", err)
	}
	return fromDBCompletions(rows)
}

func (r Reader) listCompletions(ctx context.Context, query CompletionsQuery) ([]dbgen.Completion, error) {
	switch {
	case query.User != nil:
		return r.queries.ListCompletions(ctx, dbgen.ListCompletionsParams{
			IdentityProviderID: query.User.IdentityProviderID, UserID: query.User.UserID,
			Parties: ledger.Strings(query.Parties), After: query.After, UpTo: query.UpTo, CountMax: query.Limit,
		})
	case query.Parties != nil:
		return r.queries.ListCompletionsOfParties(ctx, dbgen.ListCompletionsOfPartiesParams{
			Parties: ledger.Strings(query.Parties), After: query.After, UpTo: query.UpTo, CountMax: query.Limit,
		})
	default:
		return r.queries.ListAllCompletions(ctx, dbgen.ListAllCompletionsParams{
			After: query.After, UpTo: query.UpTo, CountMax: query.Limit,
		})
	}
}

// CompletionsByHash lists the completions of a transaction that was signed outside the node, by the hash in
// hexadecimal: the accepted one first, if there is one, then up to limit refused ones, the newest first. Nil parties
// match all completions; others match those in which at least one of them acts.
func (r Reader) CompletionsByHash(
	ctx context.Context, hash string, parties []ledger.Party, limit int32,
) ([]ledger.Completion, error) {
	rows, err := r.queries.ListCompletionsByHash(ctx, dbgen.ListCompletionsByHashParams{
		ExternalHash: hash, Parties: nullable(parties), CountMax: limit,
	})
	if err != nil {
		return nil, failed("reading completions of a signed transaction", err)
	}
	return fromDBCompletions(rows)
}

// CompletionBySubmissionKey finds the completion of a submission; false while the submission is not done.
func (r Reader) CompletionBySubmissionKey(ctx context.Context, key string) (ledger.Completion, bool, error) {
	found, err := r.CompletionsByKey(ctx, []string{key})
	completion, ok := found[key]
	return completion, ok, err
}

// CompletionsByKey finds the completions of submissions, by submission key. Submissions that are not done are absent.
func (r Reader) CompletionsByKey(ctx context.Context, keys []string) (map[string]ledger.Completion, error) {
	rows, err := r.queries.ListCompletionsByKey(ctx, keys)
	if err != nil {
		return nil, failed("reading completions", err)
	}
	return completionsByKey(rows)
}

// KeyedPrefix begins the names of submissions for requests with an Idempotency-Key.
const KeyedPrefix = "idempotency-key:"

// KeyedCompletions finds the accepted completions of a user under a name that begins with [KeyedPrefix]: the submission
// id begins with the name, or the command id is the name. A completion may be in the result twice. It finds only
// completions with one of the submission keys, because the user may know the name and submit any number of other things
// under it.
func (r Reader) KeyedCompletions(
	ctx context.Context, who ledger.Identity, name string, keys []string,
) ([]ledger.Completion, error) {
	rows, err := r.queries.ListKeyed(ctx, dbgen.ListKeyedParams{
		Name: name, IdentityProviderID: who.IdentityProviderID, UserID: who.UserID, SubmissionKeys: keys,
	})
	if err != nil {
		return nil, failed("reading completions of an idempotency key", err)
	}
	return fromDBCompletions(rows)
}

// Changes finds the last accepted submission of each change id. Changes that were never accepted are absent.
func (r Reader) Changes(ctx context.Context, ids []ledger.ChangeID) (map[ledger.ChangeID]Change, error) {
	rows, err := r.queries.ListChanges(ctx, ledger.Strings(ids))
	return fromDBChanges(rows), failed("reading accepted changes", err)
}

func completionsByKey(rows []dbgen.Completion) (map[string]ledger.Completion, error) {
	completions, err := fromDBCompletions(rows)
	byKey := make(map[string]ledger.Completion, len(completions))
	for _, completion := range completions {
		byKey[completion.Key] = completion
	}
	return byKey, err
}

// Submitter is the user who made a submission, with the first acting party.
type Submitter struct {
	Identity ledger.Identity
	// Party is the first that it acts as.
	Party ledger.Party
}

// IsNode reports whether the submitter is the user in whose name the node makes its own submissions.
func (s Submitter) IsNode(node ledger.Node) bool {
	return s.Identity == ledger.DefaultUser(node.OperatorUser)
}

// SubmittersAt finds the submitters of the submissions at some offsets. The map has no entries for pruned offsets.
func (r Reader) SubmittersAt(ctx context.Context, offsets []ledger.Offset) (map[ledger.Offset]Submitter, error) {
	raw := make([]int64, len(offsets))
	for i, offset := range offsets {
		raw[i] = int64(offset)
	}
	rows, err := r.queries.ListSubmittersAt(ctx, raw)
	found := make(map[ledger.Offset]Submitter, len(rows))
	for _, row := range rows {
		found[row.LedgerOffset] = Submitter{
			Identity: ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.UserID},
			Party:    ledger.Party(row.Party),
		}
	}
	return found, failed("looking for who made submissions", err)
}
