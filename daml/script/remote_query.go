package script

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// createdEvent is the create event of a contract in the API.
type createdEvent struct {
	Offset      int64             `json:"offset"`
	NodeID      int32             `json:"nodeId"`
	ID          ledger.ContractID `json:"contractId"`
	Template    lf.TypeName       `json:"templateId"`
	PackageName string            `json:"packageName"`
	Argument    json.RawMessage   `json:"createArgument"`
	Key         json.RawMessage   `json:"contractKey"`
	Blob        string            `json:"createdEventBlob"`
	Signatories []ledger.Party    `json:"signatories"`
	Observers   []ledger.Party    `json:"observers"`
	Views       []struct {
		Status struct {
			Code int32 `json:"code"`
		} `json:"viewStatus"`
		Value json.RawMessage `json:"viewValue"`
	} `json:"interfaceViews"`
}

// object is a part of a request.
type object = map[string]any

// eventFormat makes an event format with one filter for parties.
func eventFormat(parties []ledger.Party, kind string, filter object) object {
	byParty := object{}
	for _, party := range parties {
		byParty[string(party)] = object{"cumulative": []any{
			object{"identifierFilter": object{kind: object{"value": filter}}},
		}}
	}
	return object{"filtersByParty": byParty, "verbose": true}
}

// ofTemplate is the event format of a template, in all versions of its package.
func (q *question) ofTemplate(parties []ledger.Party, template lf.TypeName) object {
	return eventFormat(parties, "TemplateFilter", object{
		"templateId": q.byName(template).String(), "includeCreatedEventBlob": false,
	})
}

// byName is a template with the name of its package instead of the id, as upstream: the node knows the versions.
func (q *question) byName(of lf.TypeName) lf.TypeName {
	return withPackage(of, lf.PackageID("#"+q.suite.packages[of.Package].Name))
}

// isOf reports whether a contract is of a template, in any version.
func (q *question) isOf(c createdEvent, template lf.TypeName) bool {
	return c.Template.QualifiedName() == template.QualifiedName() &&
		c.PackageName == q.suite.packages[template.Package].Name
}

func ofInterface(parties []ledger.Party, of lf.TypeName) object {
	return eventFormat(parties, "InterfaceFilter", object{"interfaceId": of.String(), "includeInterfaceView": true})
}

// active lists active contracts in the order of creation.
func (l *remote) active(q *question, format object) ([]createdEvent, error) {
	var end struct {
		Offset int64 `json:"offset"`
	}
	if err := l.call(q, get, "/v2/state/ledger-end", nil, &end); err != nil {
		return nil, err
	}
	var answer []struct {
		ContractEntry struct {
			Active *struct {
				Event createdEvent `json:"createdEvent"`
			} `json:"JsActiveContract"`
		} `json:"contractEntry"`
	}
	err := l.call(q, post, "/v2/state/active-contracts",
		object{"activeAtOffset": end.Offset, "eventFormat": format}, &answer)
	var out []createdEvent
	for _, element := range answer {
		if active := element.ContractEntry.Active; active != nil {
			out = append(out, active.Event)
		}
	}
	slices.SortFunc(out, func(a, b createdEvent) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.NodeID, b.NodeID))
	})
	return out, err
}

// one finds an active contract; nil for none.
func (l *remote) one(q *question, id ledger.ContractID, format object) (*createdEvent, error) {
	var answer struct {
		Created *struct {
			Event createdEvent `json:"createdEvent"`
		} `json:"created"`
		Archived *struct{} `json:"archived"`
	}
	err := l.call(q, post, "/v2/events/events-by-contract-id", object{"contractId": id, "eventFormat": format}, &answer)
	if refusal, ok := fault.As(err); ok && refusal.HTTP() == notFoundStatus || err == nil && answer.Created == nil {
		return nil, nil //nolint:nilnil // as the comment says
	}
	if err != nil || answer.Archived != nil {
		return nil, err
	}
	return &answer.Created.Event, nil
}

const notFoundStatus = 404

func (l *remote) contracts(q *question, parties []ledger.Party, template lf.TypeName) ([]foundContract, error) {
	all, err := l.active(q, q.ofTemplate(parties, template))
	if err != nil {
		return nil, err
	}
	var out []foundContract
	for _, c := range all {
		if !q.isOf(c, template) {
			continue
		}
		argument, err := q.decode(&ast.TyCon{Name: template}, c.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, foundContract{id: c.ID, value: argument})
	}
	return out, nil
}

func (l *remote) contract(
	q *question, parties []ledger.Party, template lf.TypeName, id ledger.ContractID,
) (*foundContract, error) {
	c, err := l.one(q, id, eventFormat(parties, "WildcardFilter", object{"includeCreatedEventBlob": true}))
	if err != nil || c == nil || !q.isOf(*c, template) {
		return nil, err
	}
	argument, err := q.decode(&ast.TyCon{Name: template}, c.Argument)
	return &foundContract{c.ID, argument, c.Blob}, err
}

func (l *remote) views(q *question, parties []ledger.Party, of lf.TypeName) ([]foundContract, error) {
	all, err := l.active(q, ofInterface(parties, of))
	if err != nil {
		return nil, err
	}
	var out []foundContract
	for _, c := range all {
		view, err := q.viewOf(c, of)
		if err != nil {
			return nil, err
		}
		out = append(out, foundContract{id: c.ID, value: view})
	}
	return out, nil
}

func (l *remote) view(
	q *question, parties []ledger.Party, of lf.TypeName, id ledger.ContractID,
) (engine.Value, error) {
	c, err := l.one(q, id, ofInterface(parties, of))
	if err != nil || c == nil {
		return none, err
	}
	return q.viewOf(*c, of)
}

// viewOf is the view of a contract; None if it fails.
func (q *question) viewOf(c createdEvent, of lf.TypeName) (engine.Value, error) {
	def := q.suite.packages.Interface(of)
	if def == nil || len(c.Views) == 0 || c.Views[0].Status.Code != 0 {
		return none, nil
	}
	v, err := q.decode(def.View, c.Views[0].Value)
	return some(v), err
}

func (l *remote) byKey(
	q *question, parties []ledger.Party, template lf.TypeName, hash string, limit int64,
) ([]foundContract, error) {
	all, err := l.active(q, q.ofTemplate(parties, template))
	if err != nil {
		return nil, err
	}
	var out []foundContract
	for _, c := range slices.Backward(all) {
		if int64(len(out)) >= limit {
			break
		}
		key, _, err := q.suite.program.Key(template, c.Key)
		if err != nil {
			return nil, err
		}
		if its, err := q.suite.program.KeyHash(q.ctx, template, key); err != nil || its != hash {
			continue
		}
		argument, err := q.decode(&ast.TyCon{Name: template}, c.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, foundContract{id: c.ID, value: argument})
	}
	return out, nil
}
