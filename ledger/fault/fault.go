package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Code is one kind of refusal. Every code of the API is a variable of this package.
type Code struct {
	// ID is the identifier clients see and test for, such as "CONTRACT_NOT_FOUND".
	ID string
	// Category decides gRPC code, HTTP status, retry and redaction.
	Category Category
	// Tells is the kind of facts that refusals of the code contain.
	Tells Tells
	// Hint is the default hint: what to do next, in one sentence.
	Hint string
}

// New makes a Fault of this code. The format and its arguments give the cause: the broken rule and the bad value. Long
// causes are cut to maxCause bytes, because a request may name thousands of parties.
func (c Code) New(format string, args ...any) *Fault {
	return &Fault{
		Code: c.ID, Category: c.Category, Hint: c.Hint, Cause: shortCause(fmt.Sprintf(format, args...), maxCause),
	}
}

// HTTP returns the HTTP status of the code: its category's, except for the list limit, which is 413.
func (c Code) HTTP() int {
	if c.ID == JSONAPIMaximumListElementsNumberReached.ID || c.ID == AnswerTooLarge.ID {
		return 413
	}
	return c.Category.HTTP()
}

// Redacted reports whether clients get no details: for some categories, and for disclosed contracts that contradict
// each other.
func (c Code) Redacted() bool {
	return c.Category.Redacted() || c.ID == DisclosedContractsConflictingPayloads.ID
}

// Matches reports whether err is, or wraps, a Fault of this code.
func (c Code) Matches(err error) bool {
	f, ok := As(err)
	return ok && f.Code == c.ID
}

// Codes returns every code, grouped as the API documents them. The caller may change the slice.
func Codes() []Code {
	return slices.Concat(requestCodes, submissionCodes, routingCodes, verdictCodes, adminCodes)
}

// Lookup finds a code by its identifier.
func Lookup(id string) (Code, bool) {
	for _, group := range [][]Code{requestCodes, submissionCodes, routingCodes, verdictCodes, adminCodes} {
		for _, code := range group {
			if code.ID == id {
				return code, true
			}
		}
	}
	return Code{}, false
}

// As finds the Fault in err's chain.
func As(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok && f != nil
}

// Fault is one occurrence of a Code. It is an error, and it is stored in completions as JSON.
//
// The With methods change the Fault and return it, for chaining on a new one.
type Fault struct { //nolint:errname // fault.Fault is the project's word for it; FaultError would say it twice
	// Code is the identifier of the code.
	Code string `json:"code"`
	// Category is the code's, or the contract's choice for a DAML_FAILURE.
	Category Category `json:"category"`
	// Cause is the human text: the rule and the offending value.
	Cause string `json:"cause"`
	// Context holds the code's own machine-readable facts. See Metadata for what clients get.
	Context map[string]string `json:"context,omitempty"`
	// Resources are the subjects of the refusal.
	Resources []Resource `json:"resources,omitempty"`
	// Hint is what to do next, in one sentence.
	Hint string `json:"hint,omitempty"`
	// DefiniteAnswer says whether the outcome of the command is final; nil when not known.
	DefiniteAnswer *bool `json:"definiteAnswer,omitempty"`

	cause error // the internal error: for the log, never sent
}

// Resource is something a Fault is about. In JSON it is the pair [type, value].
type Resource struct {
	Type  string // one of the resource types of the API, such as "CONTRACT_ID"
	Value string
}

// Limits of causes in bytes: maxCause in storage, causeLimit in answers of the ledger API.
const (
	maxCause   = 4096
	causeLimit = 512
)

// Error returns "CODE: cause". It never contains the hidden error.
func (f *Fault) Error() string { return f.Code + ": " + f.Cause }

// Unwrap returns the hidden internal error, or nil.
func (f *Fault) Unwrap() error { return f.cause }

// With adds one fact to the context.
func (f *Fault) With(key, value string) *Fault {
	if f.Context == nil {
		f.Context = make(map[string]string)
	}
	f.Context[key] = value
	return f
}

// WithResource adds a resource.
func (f *Fault) WithResource(typ, value string) *Fault {
	f.Resources = append(f.Resources, Resource{Type: typ, Value: value})
	return f
}

// WithHint replaces the code's default hint.
func (f *Fault) WithHint(hint string) *Fault {
	f.Hint = hint
	return f
}

// DryRunAdvice ends the hint of a failure of contract code. The answer to a dry run leaves it out.
const DryRunAdvice = " With dry_run=true, /v2 shows the call stack and the tree."

// WithDefiniteAnswer says whether the outcome of the command is final.
func (f *Fault) WithDefiniteAnswer(definite bool) *Fault {
	f.DefiniteAnswer = &definite
	return f
}

// Wrap hides an internal error behind the Fault: Unwrap and errors.Is see it, clients and stored completions do not.
func (f *Fault) Wrap(err error) *Fault {
	f.cause = err
	return f
}

// Hidden returns the text of the internal error that a Fault in err hides from clients, or nothing.
func Hidden(err error) string {
	f, ok := As(err)
	if !ok || f.cause == nil {
		return ""
	}
	return f.cause.Error()
}

// Full returns the text of an error with the hidden error, for the log and for operators of a node.
func Full(err error) string {
	if hidden := Hidden(err); hidden != "" && !strings.Contains(err.Error(), hidden) {
		return err.Error() + " (" + hidden + ")"
	}
	return err.Error()
}

// HTTP returns the HTTP status to answer with.
func (f *Fault) HTTP() int { return f.code().HTTP() }

// Redacted reports whether clients get RedactedCause and nothing else.
func (f *Fault) Redacted() bool { return f.code().Redacted() }

// IsAboutRights reports whether the caller lacks a right or a valid token.
func (f *Fault) IsAboutRights() bool {
	return f.Category == InsufficientPermission || f.Category == InvalidAuthenticationCredentials
}

// Explanation is what the log has of the cause: the hidden error, if there is one.
func (f *Fault) Explanation() string {
	if hidden := Hidden(f); hidden != "" {
		return shortCause(hidden, causeLimit)
	}
	return f.ShortCause()
}

// ShortCause returns the cause as clients get it: at most 512 bytes, cut between characters and marked with "...".
func (f *Fault) ShortCause() string { return shortCause(f.Cause, causeLimit) }

// Metadata returns the context that clients get: the Fault's own facts, "category", "definite_answer", and "hint" with
// the next step. The caller may change the map.
func (f *Fault) Metadata() map[string]string {
	metadata := maps.Clone(f.Context)
	if metadata == nil {
		metadata = make(map[string]string)
	}
	metadata["category"] = strconv.Itoa(int(f.Category))
	metadata["definite_answer"] = strconv.FormatBool(f.DefiniteAnswer != nil && *f.DefiniteAnswer)
	if f.Hint != "" {
		metadata["hint"] = f.Hint
	}
	return metadata
}

func (f *Fault) code() Code { return Code{ID: f.Code, Category: f.Category} }

// Internal hides an unexpected error behind LEDGER_API_INTERNAL_ERROR: the client learns only that the server failed.
func Internal(err error) *Fault {
	return LedgerAPIInternalError.New("The server failed with an unexpected error.").Wrap(err)
}

// From returns the Fault in err's chain, or hides err with Internal. It returns nil for nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := As(err); ok {
		return f
	}
	return Internal(err)
}

// MarshalJSON writes [type, value].
func (r Resource) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{r.Type, r.Value}) }

// UnmarshalJSON reads [type, value].
func (r *Resource) UnmarshalJSON(data []byte) error {
	var pair []string
	if err := json.Unmarshal(data, &pair); err != nil {
		return fmt.Errorf("a resource is a pair of type and value: %w", err)
	}
	if len(pair) != 2 {
		return fmt.Errorf("a resource is a pair of type and value, but this one has %d parts", len(pair))
	}
	r.Type, r.Value = pair[0], pair[1]
	return nil
}

// maxShown is the most bytes of a client's value in an error text. Template names fit.
const maxShown = 120

// Shorten keeps long values from filling error texts. It cuts between characters and marks the cut with "…".
func Shorten(text string) string { return ShortenTo(maxShown, text) }

// ShortenTo is [Shorten] with another limit in bytes, without the mark.
func ShortenTo(limit int, text string) string {
	if len(text) <= limit {
		return text
	}
	return cut(text, limit) + "…"
}

// shortCause cuts a cause to limit bytes, including upstream's mark "...".
func shortCause(cause string, limit int) string {
	const mark = "..."
	if len(cause) <= limit {
		return cause
	}
	return cut(cause, limit-len(mark)) + mark
}

// cut returns the first characters that fit into limit bytes. The text must be longer.
func cut(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
