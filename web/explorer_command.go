package web

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/outline"
	"github.com/florinledger/florin/wallet/sentence"
)

// formRoot is the name of the form's first field; the others are below it.
const formRoot = "f"

// preparePath is the dry run of commands.
const preparePath = "/v2/interactive-submission/prepare"

// command is what a form makes: a contract, or the exercise of a choice.
type command struct {
	// Base is the path of the form.
	Base string
	// Template is the name to send; Package is its package's name.
	Template, Package string
	// Choice and Contract are "" for a new contract.
	Choice, Contract string
	// Consuming is true if the choice archives the contract.
	Consuming bool
	argument  outline.Type
}

// Title names the command, and is the text of its button.
func (c command) Title() string {
	if c.Choice == "" {
		return "Create " + entityOf(c.Template)
	}
	return c.Choice
}

// body is the command in the API's JSON.
func (c command) body(argument json.RawMessage) map[string]any {
	if c.Choice == "" {
		return map[string]any{"CreateCommand": map[string]any{"templateId": c.Template, "createArguments": argument}}
	}
	return map[string]any{"ExerciseCommand": map[string]any{
		"templateId": c.Template, "contractId": c.Contract, "choice": c.Choice, "choiceArgument": argument,
	}}
}

// creation is the command of the path's template.
func (s *site) creation(v *visit, _ reader) (command, error) {
	found, err := s.shape(v, v.r.PathValue("id"))
	if err != nil {
		return command{}, err
	}
	if found.IsInterface {
		return command{}, unprocessable(found.Name.Entity+" is an interface, and has no contracts of its own.",
			"Create a contract of a template that implements it.")
	}
	name := found.Name.String()
	return command{
		Base: templatePath(name) + "/create", Template: name, Package: found.PackageName,
		argument: outline.Type{Kind: outline.Named, Name: found.Name},
	}, nil
}

// exercise is the command of the path's contract and choice.
func (s *site) exercise(v *visit, as reader) (command, error) {
	id := v.r.PathValue("id")
	created, _, err := v.contractEvents(id, as)
	if err != nil {
		return command{}, err
	}
	found, err := s.shape(v, created.Template)
	if err != nil {
		return command{}, err
	}
	for _, choice := range found.Choices {
		if choice.Ref() != v.r.PathValue("choice") {
			continue
		}
		one := command{
			Base: exercisePath(id, choice.Ref()), Template: created.Template, Package: found.PackageName, Contract: id,
			Choice: choice.Name, Consuming: choice.Consuming, argument: choice.Argument,
		}
		if choice.IsFrom() {
			one.Template = choice.From.String()
		}
		return one, nil
	}
	return command{}, &problem{
		Status: http.StatusNotFound, What: "The contract has no such choice.", Next: "Choose one on the contract's page.",
	}
}

// exercisePath is the path of the form for a choice of a contract.
func exercisePath(contract, choice string) string {
	return contractsPath + "/" + url.PathEscape(contract) + "/exercise/" + url.PathEscape(choice)
}

type commandView struct {
	command

	Reader reader
	// Act is the party to act as.
	Act     string
	Root    *input
	Problem *problem
}

type trialView struct {
	command

	Act  string
	Args string
	// Once is the key of the form. It is in the address, so that a preview that is loaded again has the same key.
	Once string
	// Said is what happens, Bytes the traffic that it takes, JSON the command.
	Said    sentence.Sentence
	Bytes   int64
	JSON    string
	Problem *problem
}

// EditPath is the address of the form with the same values.
func (t trialView) EditPath() string {
	return t.Base + "?" + url.Values{"act": {t.Act}, "args": {t.Args}}.Encode()
}

// On is the contract, for a table's cell.
func (c command) On() cell { return cell{Contract: c.Contract} }

// finder finds the command of a path.
type finder func(v *visit, as reader) (command, error)

// commandForm shows the form of a command, filled with the values of the address.
func (s *site) commandForm(find finder) func(v *visit, as reader) error {
	return func(v *visit, as reader) error {
		one, err := find(v, as)
		if err != nil {
			return err
		}
		typed := v.r.URL.Query()
		return s.showCommand(v, as, one, typed.Get("act"), json.RawMessage(typed.Get("args")), nil)
	}
}

// showCommand shows the form with an argument, and why it was refused.
func (s *site) showCommand(v *visit, as reader, one command, act string, args json.RawMessage, refused *problem) error {
	root, err := (&formMaker{site: s, visit: v}).input(formRoot, "argument", one.argument, 0)
	if err != nil {
		return err
	}
	root.set(args)
	return s.writeCommand(v, commandView{command: one, Reader: as, Act: act, Root: root, Problem: refused})
}

func (s *site) writeCommand(v *visit, data commandView) error {
	if len(data.Reader.Acts) == 0 {
		return &problem{
			Status: http.StatusForbidden, What: "You have no right to act as a party, so you cannot change the ledger.",
			Next: "Ask an administrator of the node for the right to act as a party.",
		}
	}
	status := http.StatusOK
	if data.Problem != nil {
		status = data.Problem.Status
	}
	return s.write(v, status, "command", data)
}

// tryCommand reads a form, and goes to its dry run.
func (s *site) tryCommand(find finder) func(v *visit, as reader) error {
	return func(v *visit, as reader) error {
		one, err := find(v, as)
		if err != nil {
			return err
		}
		root, err := (&formMaker{site: s, visit: v}).input(formRoot, "argument", one.argument, 0)
		if err != nil {
			return err
		}
		root.take(v)
		args, err := root.json(as)
		if refused, isProblem := errors.AsType[*problem](err); isProblem {
			return s.writeCommand(v, commandView{command: one, Reader: as, Act: v.field("act"), Root: root, Problem: refused})
		}
		if err != nil {
			return err
		}
		return s.openAt(v, one.Base+"/preview", url.Values{
			"act": {v.field("act")}, "args": {string(args)}, "once": {rand.Text()},
		},
			func(v *visit, typed url.Values) error { return s.showTrial(v, as, one, typed) })
	}
}

// previewCommand shows the dry run of the address.
func (s *site) previewCommand(find finder) func(v *visit, as reader) error {
	return func(v *visit, as reader) error {
		one, err := find(v, as)
		if err != nil {
			return err
		}
		typed := v.r.URL.Query()
		if typed.Get("once") == "" { // not an address that the form leads to
			s.goTo(v, trialView{command: one, Act: typed.Get("act"), Args: typed.Get("args")}.EditPath())
			return nil
		}
		return s.showTrial(v, as, one, typed)
	}
}

// showTrial makes a dry run: the node interprets the command and changes nothing. If the node refuses, the form is back.
func (s *site) showTrial(v *visit, as reader, one command, typed url.Values) error {
	act, args := typed.Get("act"), json.RawMessage(typed.Get("args"))
	if err := checkArgument(args); err != nil {
		return err
	}
	var out struct {
		Cost struct {
			Total int64 `json:"totalTrafficCostEstimation"`
		} `json:"costEstimation"`
	}
	in := submission(one, act, as, args)
	in["commandId"] = "preview"
	err := v.api.Post(v.ctx(), preparePath, in, &out)
	if err != nil {
		if refused := problemOf(err); refused.Status < http.StatusInternalServerError && !isStatus(err, http.StatusUnauthorized) {
			return s.showCommand(v, as, one, act, args, refused)
		}
		return err
	}
	data := s.trialOf(v, as, one, act, args)
	data.Bytes, data.Once = out.Cost.Total, typed.Get("once")
	return s.show(v, "trial", data)
}

func (s *site) trialOf(v *visit, as reader, one command, act string, args json.RawMessage) trialView {
	tell := s.teller(v, as)
	said := sentence.Reader{Payload: tell.argumentOf, Present: true}.Of([]sentence.Event{{
		Template: one.Template, Foreign: foreignPackage(s.BuiltIn, one.Template, one.Package), Contract: one.Contract,
		Choice: one.Choice, Argument: args, By: []string{act},
	}})
	whole, err := json.MarshalIndent(one.body(args), "", "  ")
	if err != nil { // the argument is valid JSON
		whole = args
	}
	return trialView{command: one, Act: act, Args: string(args), Said: tell.named(said), JSON: string(whole)}
}

// checkArgument refuses an argument that names a field twice: the node takes the last value, and a reader sees the first.
func checkArgument(args json.RawMessage) error {
	if jsontext.Value(args).IsValid() {
		return nil
	}
	return unprocessable("The argument is not JSON, or has a name twice.", "Fill in the form again, each name once.")
}

// submission is a command in the API's JSON, without its id.
func submission(one command, act string, as reader, args json.RawMessage) map[string]any {
	return map[string]any{"commands": []any{one.body(args)}, "actAs": []string{act}, "readAs": as.Parties}
}

// submitCommand makes the change. The form's key is the id of the command, so that the node makes it once.
func (s *site) submitCommand(find finder) func(v *visit, as reader) error {
	return func(v *visit, as reader) error {
		one, err := find(v, as)
		if err != nil {
			return err
		}
		act, args := v.field("act"), json.RawMessage(v.field("args"))
		if err := checkArgument(args); err != nil {
			return err
		}
		var out struct {
			Update string `json:"updateId"`
		}
		in := submission(one, act, as, args)
		in["commandId"] = "page-" + v.field("once")
		err = v.change(one.Title()+" as "+client.PartyName(act), http.MethodPost, "/v2/commands/submit-and-wait", in, &out)
		if refused, isRefused := errors.AsType[*client.Error](err); isRefused && refused.Code == "DUPLICATE_COMMAND" {
			return s.done(v, explorerPath+"/offsets/"+url.PathEscape(refused.Context["completion_offset"]), "It was done before.")
		}
		if err != nil && isFinal(err) {
			data := s.trialOf(v, as, one, act, args)
			data.Problem, data.Once = problemOf(err), v.field("once")
			return s.write(v, data.Problem.Status, "trial", data)
		}
		if err != nil {
			return err
		}
		return s.done(v, explorerPath+"/updates/"+url.PathEscape(out.Update), "Done: "+strings.TrimSpace(one.Title())+".")
	}
}
