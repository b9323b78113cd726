package daml

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// printer prints results as they arrive. It keeps its first error.
type printer struct {
	command *TestCommand
	out     io.Writer
	bold    func(string) string
	several bool // files
	last    *suite
	err     error
}

func (p *printer) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}

func (p *printer) json(v any) {
	if p.err == nil {
		encoder := json.NewEncoder(p.out)
		encoder.SetEscapeHTML(false)
		p.err = encoder.Encode(v)
	}
}

func (p *printer) result(r result) {
	if p.command.JSON {
		p.json(shownResultOf(r))
		return
	}
	if p.several && p.last != r.suite {
		p.print(p.bold(console.Plain(r.suite.path)) + "\n")
		p.last = r.suite
	}
	verdict := "ok    "
	if r.report.Failure != nil {
		verdict = p.bold("FAILED")
	}
	p.print(fmt.Sprintf("%s  %s (%s, %s, %s)\n", verdict, console.Plain(r.script.Name.QualifiedName()),
		inMilliseconds(r.took), count(len(r.report.Transactions), "transaction"), count(len(r.report.Contracts), "contract")))
	var out strings.Builder
	if r.report.Failure != nil {
		writeFailure(&out, r)
	} else if p.command.Verbose {
		writeMessages(&out, r.report)
	}
	p.print(out.String())
}

func inMilliseconds(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
}

// refusedFile is a file whose scripts cannot run.
type refusedFile struct {
	path string
	err  error
}

// omissions are refused files, and the files and scripts that an interrupted run left out.
type omissions struct {
	files   []refusedFile
	unread  []string
	scripts []job
}

func (p *printer) refused(of refusedFile) {
	if p.command.JSON {
		p.json(map[string]any{"dar": of.path, "ok": false, "error": of.err.Error()})
		return
	}
	fmt.Fprintln(os.Stderr, "florin: "+console.Text(of.err.Error()))
}

// end prints the numbers of passed and failed scripts, and returns the number of failed ones.
func (p *printer) end(results []result, more omissions, took time.Duration) int {
	failed := 0
	for _, r := range results {
		if r.report.Failure != nil {
			failed++
		}
	}
	passed := len(results) - failed
	if p.command.JSON {
		end := map[string]any{"passed": passed, "failed": failed, "milliseconds": took.Milliseconds()}
		if n := len(more.scripts); n > 0 {
			end["not_run"] = n
		}
		if n := len(more.unread); n > 0 {
			end["files_not_read"] = n
		}
		if len(more.files) > 0 {
			end["files_refused"] = len(more.files)
		}
		p.json(end)
		return failed
	}
	text := fmt.Sprintf("%d passed, %d failed", passed, failed)
	if n := len(more.scripts); n > 0 {
		text += fmt.Sprintf(", %d not run", n)
	}
	if n := len(more.unread); n > 0 {
		text += ", " + count(n, "file") + " not read"
	}
	if len(more.files) > 0 {
		text += ", " + count(len(more.files), "file") + " refused"
	}
	p.print(text + "\n")
	return failed
}

// shownResult is a result as --json prints it.
type shownResult struct {
	DAR          string         `json:"dar"`
	Script       string         `json:"script"`
	OK           bool           `json:"ok"`
	Milliseconds float64        `json:"milliseconds"`
	Transactions int            `json:"transactions"`
	Contracts    int            `json:"contracts"`
	Failure      *shownFailure  `json:"failure,omitempty"`
	Messages     []shownMessage `json:"messages"`
	// LeftOut counts what the limits left out: messages, places, parties, contracts and payloads.
	LeftOut map[string]int `json:"left_out,omitempty"`
}

type shownFailure struct {
	Code        string                       `json:"code,omitempty"`
	Message     string                       `json:"message"`
	Question    string                       `json:"question,omitempty"`
	Script      []shownPlace                 `json:"script"`
	Calls       []shownPlace                 `json:"calls"`
	Excerpts    []shownExcerpt               `json:"excerpts"`
	Transaction []string                     `json:"transaction,omitempty"`
	Nodes       []shownNode                  `json:"nodes,omitempty"`
	Views       map[ledger.Party][]shownView `json:"views"`
}

type shownPlace struct {
	Definition string `json:"definition,omitempty"`
	Module     string `json:"module,omitempty"`
	Line       int32  `json:"line,omitempty"`
	Column     int32  `json:"column,omitempty"`
	// Defined: the place is the beginning of the definition; the exact place is unknown.
	Defined bool `json:"defined,omitempty"`
}

type shownView struct {
	ContractID ledger.ContractID `json:"contract_id"`
	TemplateID string            `json:"template_id"`
	// Payload is null if it is too large.
	Payload json.RawMessage `json:"payload"`
}

type shownMessage struct {
	Text string     `json:"text"`
	At   shownPlace `json:"at"`
}

func placeOf(f script.Frame) shownPlace {
	out := shownPlace{Definition: f.Definition, Module: f.At.Module, Defined: f.Defined}
	if !f.At.IsZero() {
		out.Line, out.Column = f.At.Start.Line+1, f.At.Start.Column+1
	}
	return out
}

// places are the innermost places of a call stack.
func (r *shownResult) places(frames []script.Frame) []shownPlace {
	out := []shownPlace{}
	for _, frame := range frames[:min(maxPlaces, len(frames))] {
		out = append(out, placeOf(frame))
	}
	r.leaveOut("places", len(frames)-len(out))
	return out
}

func (r *shownResult) leaveOut(what string, n int) {
	if n == 0 {
		return
	}
	if r.LeftOut == nil {
		r.LeftOut = map[string]int{}
	}
	r.LeftOut[what] += n
}

func shownResultOf(r result) shownResult {
	out := shownResult{
		DAR: r.suite.path, Script: r.script.Name.QualifiedName(), OK: r.report.Failure == nil,
		Milliseconds: float64(r.took.Microseconds()) / 1000, Transactions: len(r.report.Transactions),
		Contracts: len(r.report.Contracts), Messages: []shownMessage{},
	}
	messages, left := lastMessages(r.report)
	for _, message := range messages {
		out.Messages = append(out.Messages, shownMessage{message.Text, placeOf(script.Frame{At: message.At})})
	}
	out.leaveOut("messages", left)
	if r.report.Failure != nil {
		out.Failure = out.failure(r)
	}
	return out
}

func (r *shownResult) failure(of result) *shownFailure {
	report, failure := of.report, of.report.Failure
	out := &shownFailure{
		Code: failure.Code, Message: fault.ShortenTo(maxText, failure.Message), Question: failure.Question,
		Script: r.places(failure.Script), Calls: r.places(failure.Calls), Views: map[ledger.Party][]shownView{},
		Excerpts: of.suite.excerpts(of),
	}
	if failure.Submission != nil {
		out.Transaction = treeLines(failure.Submission.Tree)
		out.Nodes = r.shownNodes(failure.Submission.Tree)
	}
	views, left := viewsOf(report)
	r.leaveOut("parties", left)
	room := maxPayloads
	for _, one := range views {
		seen := []shownView{}
		for _, contract := range one.contracts {
			payload := contract.Payload
			if len(payload) > min(room, maxJSON) {
				payload = nil
				r.leaveOut("payloads", 1)
			}
			room -= len(payload)
			seen = append(seen, shownView{contract.ID, contract.Template.String(), payload})
		}
		r.leaveOut("contracts", one.left)
		out.Views[one.party] = seen
	}
	return out
}
