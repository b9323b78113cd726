package web

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/wallet/sentence"
)

// maxCompletions is the number of completions that a page of updates reads.
const maxCompletions = 100

// completion is the outcome of a command in the API's JSON.
type completion struct {
	Command string   `json:"commandId"`
	User    string   `json:"userId"`
	ActAs   []string `json:"actAs"`
	Offset  int64    `json:"offset"`
	Status  struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
	Time struct {
		Recorded time.Time `json:"recordTime"`
	} `json:"synchronizerTime"`
}

// refusals reads the refused commands after an offset. There are none if the API refuses to list them, as in a pruned
// record: the updates are more important.
func (v *visit) refusals(as reader, after int64) ([]completion, error) {
	parties := as.parties()
	if as.isEverybody() {
		parties = nil
	}
	var out []struct {
		Response struct {
			Completion *struct {
				Value completion `json:"value"`
			} `json:"Completion"`
		} `json:"completionResponse"`
	}
	in := map[string]any{"parties": parties, "beginExclusive": after}
	err := v.api.Post(v.ctx(), "/v2/commands/command-completions?stream_idle_timeout_ms=0&limit="+strconv.Itoa(maxCompletions), in, &out)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status/100 == 4 && !refused.Again {
		return nil, nil
	}
	var refused []completion
	for _, one := range out {
		if found := one.Response.Completion; found != nil && found.Value.Status.Code != 0 {
			refused = append(refused, found.Value)
		}
	}
	return refused, err
}

// refusalRow is a refused command in a list of updates. The record does not keep what a refused command was.
func (s *site) refusalRow(v *visit, as reader, from completion) row {
	parts := []sentence.Part{{Text: "refused: command " + client.Short(from.Command) + " of " + client.Short(from.User)}}
	for i, party := range from.ActAs[:min(len(from.ActAs), maxPeople)] {
		separator := " as "
		if i > 0 {
			separator = ", "
		}
		parts = append(parts, sentence.Part{Text: separator}, sentence.Part{Text: party, Party: party})
	}
	parts = append(parts, sentence.Part{Text: " — " + client.Short(reasonOf(from.Status.Message))})
	said := s.teller(v, as).named(sentence.Sentence{State: sentence.Refused, Parts: parts})
	return row{Offset: from.Offset, Recorded: from.Time.Recorded, Said: said}
}

// reasonOf is the cause in a status such as CONTRACT_NOT_FOUND(11,ab): the cause.
func reasonOf(message string) string {
	code, cause, hasCode := strings.Cut(message, "): ")
	if hasCode && !strings.Contains(code, " ") {
		return cause
	}
	return message
}

// addRefused puts the refused commands among the rows of a page of updates that ends below an offset.
func (s *site) addRefused(v *visit, as reader, data *explorerView, lowest, highest int64) error {
	refused, err := v.refusals(as, lowest)
	if err != nil {
		return err
	}
	for _, one := range refused {
		if highest == 0 || one.Offset <= highest {
			data.Rows = append(data.Rows, s.refusalRow(v, as, one))
		}
	}
	slices.SortStableFunc(data.Rows, func(a, b row) int { return cmp.Compare(b.Offset, a.Offset) })
	return nil
}

// refusalView is a refused command for display.
type refusalView struct {
	completion

	// Code is the code of the refusal, Reason why it was refused.
	Code, Reason string
	// Temporal is the address of the command's workflows; "" without a Temporal UI.
	Temporal string
}

// refusalAt finds the refused command of an offset; nil if the reader sees none.
func (v *visit) refusalAt(as reader, offset int64) (*completion, error) {
	refused, err := v.refusals(as, offset-1)
	for i := range refused {
		if refused[i].Offset == offset {
			return &refused[i], nil
		}
	}
	return nil, err
}

func (s *site) showRefusal(v *visit, as reader, from completion) error {
	code, _, _ := strings.Cut(from.Status.Message, "(")
	return s.show(v, "refusal", refusalView{
		completion: from, Code: code, Reason: reasonOf(from.Status.Message), Temporal: s.workflowsOf(from.Command, as.Only()),
	})
}
