package ledger

import "github.com/florinledger/florin/ledger/lf"

// InterpretedTemplate is a template that is not written in Go: its payloads are values of package lf, and its Code
// evaluates them. Its choices include Archive.
type InterpretedTemplate struct {
	Name    lf.TypeName
	Payload *lf.Type
	// Key describes the contract key; nil for templates without one.
	Key     *lf.Type
	Choices []InterpretedChoice
	// Interfaces are those that the template implements, and those that they require.
	Interfaces []lf.TypeName
	Code       Code
}

// InterpretedChoice is a choice of a template or interface that is not written in Go.
type InterpretedChoice struct {
	Name      string
	Argument  *lf.Type
	Result    *lf.Type
	Consuming bool
}

// InterpretedInterface is an interface that is not written in Go.
type InterpretedInterface struct {
	Name    lf.TypeName
	View    *lf.Type
	Choices []InterpretedChoice
}

// Code evaluates templates that are not written in Go. The budget pays for it. Its errors are refusals, failures of the
// store from a [Dynamic], or defects.
type Code interface {
	// Describe computes the description of a contract, or reports that the template's condition does not hold.
	Describe(budget *Budget, template lf.TypeName, payload lf.Value) (Description, error)
	// Maintainers are the maintainers of a key of a template.
	Maintainers(budget *Budget, template lf.TypeName, key lf.Value) ([]Party, error)
	// View is the view of an interface that the template implements.
	View(budget *Budget, template, through lf.TypeName, payload lf.Value) (lf.Value, error)
	// Involved are the parties of an exercise.
	Involved(budget *Budget, call Call) (ExerciseParties, error)
	// Perform runs the body of a choice.
	Perform(tx Dynamic, call Call) (lf.Value, error)
}

// Description is the parties and the key that a template computes from a payload.
type Description struct {
	Signatories, Observers []Party
	Key                    lf.Value // nil for none
}

// ExerciseParties are the parties that an exercise names.
type ExerciseParties struct {
	Controllers, Observers []Party
	// Authorizers authorize the body of a choice that names them (OwnAuthors). Otherwise they are nil, and the signatories
	// and controllers authorize it.
	Authorizers []Party
	OwnAuthors  bool
}

// Call is an exercise of a choice: of a template's own, or of an interface's that it implements.
type Call struct {
	Template lf.TypeName
	// Through is the interface; nil for the template's own choices.
	Through  *lf.TypeName
	Choice   string
	Contract ContractID
	Payload  lf.Value
	Argument lf.Value
}

func (i InterpretedTemplate) template(*builder) (*template, error) { //nolint:unparam // those written in Go may fail
	out := &template{
		name: i.Name, payload: codec{lfType: i.Payload}, unmet: func(any) string { return "" },
		choices: map[string]*choice{}, interfaces: map[lf.TypeName]*implementation{}, interpreted: true,
		describe: func(tx *Tx, payload any) (description, error) {
			described, err := i.Code.Describe(budgetOf(tx), i.Name, payload.(lf.Value))
			signatories := SortedParties(described.Signatories)
			out := description{signatories: signatories, observers: observersWithout(signatories, described.Observers)}
			if described.Key != nil {
				out.key = described.Key
			}
			return out, err
		},
	}
	if i.Key != nil {
		out.key = &keyDefinition{
			value: codec{lfType: i.Key},
			maintainers: func(tx *Tx, key any) ([]Party, error) {
				return i.Code.Maintainers(budgetOf(tx), i.Name, key.(lf.Value))
			},
		}
	}
	for _, c := range i.Choices {
		out.choices[c.Name] = i.choice(nil, &choice{
			name: c.Name, argument: codec{lfType: c.Argument}, result: codec{lfType: c.Result}, consuming: c.Consuming,
		})
	}
	for _, through := range i.Interfaces {
		out.interfaces[through] = &implementation{name: through, source: &i}
	}
	return out, nil
}

// choice is a choice of the template, with the argument and result types of the declaration.
func (i InterpretedTemplate) choice(through *lf.TypeName, declared *choice) *choice {
	out := *declared
	call := func(self ContractID, payload, argument any) (Call, error) {
		value, err := declared.argument.toValue(argument)
		return Call{
			Template: i.Name, Through: through, Choice: declared.name, Contract: self, Payload: payload.(lf.Value),
			Argument: value,
		}, err
	}
	out.controllers, out.observers = nil, nil
	out.involved = func(tx *Tx, self ContractID, payload, argument any) (ExerciseParties, error) {
		made, err := call(self, payload, argument)
		if err != nil {
			return ExerciseParties{}, err
		}
		return i.Code.Involved(budgetOf(tx), made)
	}
	out.body = func(tx *Tx, self ContractID, payload, argument any) (any, error) {
		made, err := call(self, payload, argument)
		if err != nil {
			return nil, err
		}
		result, err := i.Code.Perform(Dynamic{tx}, made)
		if err != nil {
			return nil, err
		}
		return declared.result.accept(result)
	}
	return &out
}

// implement completes the template's implementation of an interface.
func (i InterpretedTemplate) implement(impl *implementation, declared *iface) {
	impl.view = func(tx *Tx, payload any) (any, error) {
		view, err := i.Code.View(budgetOf(tx), i.Name, declared.name, payload.(lf.Value))
		if err != nil {
			return nil, err
		}
		return declared.view.accept(view)
	}
	impl.choices = map[string]*choice{}
	for name, c := range declared.choices {
		if name == archiveChoice { // always the template's own
			archive := *c
			archive.consuming = true
			impl.choices[name] = i.choice(nil, &archive)
			continue
		}
		impl.choices[name] = i.choice(&declared.name, c)
	}
}

func (i InterpretedInterface) iface(*builder) (*iface, error) { //nolint:unparam // those written in Go may fail
	out := &iface{name: i.Name, view: codec{lfType: i.View}, choices: map[string]*choice{}}
	for _, c := range i.Choices {
		out.choices[c.Name] = &choice{
			name: c.Name, argument: codec{lfType: c.Argument}, result: codec{lfType: c.Result}, consuming: c.Consuming,
		}
	}
	return out, nil
}
