package ledger

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// PrepareCommands checks commands as a client wrote them (templates by name or id, arguments as received) and returns
// them with package ids and arguments in canonical form. The refusals are those that a submission gets at once: unknown
// packages, templates and choices, and arguments that do not fit their types. It does not check that contracts exist.
func (p *Packages) PrepareCommands(commands []Command, preference []lf.PackageID) ([]Command, *fault.Fault) {
	out := make([]Command, len(commands))
	for i, command := range commands {
		prepared, refusal := p.prepareCommand(command, preference)
		if refusal != nil {
			return nil, refusal
		}
		out[i] = prepared
	}
	return out, nil
}

func (p *Packages) prepareCommand(command Command, preference []lf.PackageID) (Command, *fault.Fault) {
	switch {
	case command.Create != nil:
		create := *command.Create
		refusal := p.prepareCreate(&create.Template, &create.Argument, preference)
		return Command{Create: &create}, refusal
	case command.Exercise != nil:
		exercise := *command.Exercise
		refusal := p.prepareExercise(&exercise.Template, exercise.Choice, &exercise.Argument, preference)
		return Command{Exercise: &exercise}, refusal
	case command.CreateAndExercise != nil:
		both := *command.CreateAndExercise
		if refusal := p.prepareCreate(&both.Template, &both.CreateArgument, preference); refusal != nil {
			return Command{}, refusal
		}
		refusal := p.prepareExercise(&both.Template, both.Choice, &both.ChoiceArgument, preference)
		return Command{CreateAndExercise: &both}, refusal
	case command.ExerciseByKey != nil:
		byKey := *command.ExerciseByKey
		if refusal := p.prepareExercise(&byKey.Template, byKey.Choice, &byKey.Argument, preference); refusal != nil {
			return Command{}, refusal
		}
		refusal := p.prepareKey(byKey.Template, &byKey.Key)
		return Command{ExerciseByKey: &byKey}, refusal
	default:
		return Command{}, fault.InvalidArgumentf("a command has no content")
	}
}

func (p *Packages) prepareCreate(name *lf.TypeName, argument *json.RawMessage, pref []lf.PackageID) *fault.Fault {
	resolved, refusal := p.ResolveTemplate(*name, pref)
	if refusal != nil {
		return refusal
	}
	t, ok := p.templates[resolved]
	if !ok {
		return fault.IdentifiersNotFound([]string{name.String()}, nil).
			WithHint("An interface cannot be created; name a template.")
	}
	*name = resolved
	return canonical("createArguments", t.payload.lfType, argument)
}

func (p *Packages) prepareExercise(
	name *lf.TypeName, choiceName string, argument *json.RawMessage, preference []lf.PackageID,
) *fault.Fault {
	resolved, refusal := p.ResolveTemplate(*name, preference)
	if refusal != nil {
		return refusal
	}
	c, refusal := p.findChoice(resolved, choiceName)
	if refusal != nil {
		return refusal
	}
	*name = resolved
	if len(*argument) == 0 || string(*argument) == "null" { // the API treats a null argument as {}
		*argument = json.RawMessage("{}")
	}
	return canonical("choiceArgument", c.argument.lfType, argument)
}

func (p *Packages) prepareKey(name lf.TypeName, key *json.RawMessage) *fault.Fault {
	t := p.templates[name]
	if t == nil || t.key == nil {
		return fault.InvalidArgumentf("template %s has no contract key", name).
			WithHint("Use an ExerciseCommand with the contract id.")
	}
	return canonical("contractKey", t.key.value.lfType, key)
}

// findChoice finds a choice on a template or interface. It does not find an interface's choice by the name of a
// template: commands must name the interface, as upstream demands.
func (p *Packages) findChoice(name lf.TypeName, choiceName string) (*choice, *fault.Fault) {
	var choices map[string]*choice
	if t, ok := p.templates[name]; ok {
		choices = t.choices
	} else if declared, ok := p.interfaces[name]; ok {
		choices = declared.choices
	} else {
		return nil, fault.IdentifiersNotFound([]string{name.String()}, nil)
	}
	if c, ok := choices[choiceName]; ok {
		return c, nil
	}
	return nil, fault.InvalidArgumentf("choice %q not found on %s", fault.Shorten(choiceName), name).
		WithHint("To exercise a choice of an interface, send the interface's id as templateId.")
}

// canonical gives a value of a command its canonical form. part is the field of the command that contains the value.
func canonical(part string, t *lf.Type, raw *json.RawMessage) *fault.Fault {
	value, refusal := decodeValue(part, t, *raw)
	if refusal == nil {
		*raw = lf.EncodeJSON(t, value)
	}
	return refusal
}

// decodeValue reads a value; the refusals are those of the API for values that do not fit their type.
func decodeValue(part string, t *lf.Type, raw []byte) (lf.Value, *fault.Fault) {
	value, err := lf.DecodeJSON(t, raw)
	if err == nil {
		return value, nil
	}
	return nil, ValueRefusal(part, err)
}

// ValueRefusal is the refusal of a command whose part has a value that does not fit its type.
func ValueRefusal(part string, err error) *fault.Fault {
	if refusal, ok := fault.As(err); ok {
		return refusal
	}
	var bad *lf.DecodeError
	isBad := errors.As(err, &bad)
	if isBad && part != "" {
		bad.Path = strings.TrimSuffix(part+"."+bad.Path, ".")
	}
	switch {
	case isBad && len(bad.Missing) > 0:
		return fault.CommandPreprocessingFailed.New("Failed to decode the value: %s", bad).
			WithHint("Send every field that is not optional.")
	case isBad && bad.MalformedText:
		return fault.MalformedText.New("%s", bad)
	default:
		return fault.InvalidArgumentf("%s", err)
	}
}

// ResolvePackage turns the package part of an identifier (an id, or # and a name) into the id that the node uses. A
// name gives the preferred id, if there is one. Unknown names are JSON_API_PACKAGE_SELECTION_FAILED, unknown ids return
// false.
func (p *Packages) ResolvePackage(
	ref lf.PackageID, preference []lf.PackageID,
) (lf.PackageID, bool, *fault.Fault) {
	name, isName := strings.CutPrefix(string(ref), "#")
	if !isName {
		if err := CheckPackageID(string(ref)); err != nil {
			return "", false, fault.InvalidArgumentf("%s", err)
		}
		id, ok := p.byID[ref]
		return id, ok, nil
	}
	if err := CheckPackageName(name); err != nil {
		return "", false, fault.InvalidArgumentf("%s", err)
	}
	id, ok := p.byName[name]
	if !ok {
		return "", false, fault.JSONAPIPackageSelectionFailed.New(
			"No package with the name %q is available to the submitting parties", name).
			WithHint("Correct the name (GET /v2/packages lists the packages of this node), or upload the package.")
	}
	for _, preferred := range preference {
		if used, known := p.byID[preferred]; known && p.names[used] == p.names[id] && !p.unvetted[used] {
			return used, true, nil
		}
	}
	return id, true, nil
}

// Preferred is the part of a preference that counts: the first known id of each package name, without unvetted
// packages. It is never longer than the list of packages.
func (p *Packages) Preferred(preference []lf.PackageID) []lf.PackageID {
	var preferred []lf.PackageID
	seen := map[string]bool{}
	for _, id := range preference {
		used, known := p.byID[id]
		if name := p.names[used]; known && !seen[name] && !p.unvetted[used] {
			seen[name] = true
			preferred = append(preferred, id)
		}
	}
	return preferred
}

// ResolveTemplate turns an identifier from a client into the name of an existing template or interface.
func (p *Packages) ResolveTemplate(ref lf.TypeName, preference []lf.PackageID) (lf.TypeName, *fault.Fault) {
	id, known, refusal := p.ResolvePackage(ref.Package, preference)
	if refusal != nil {
		return lf.TypeName{}, refusal
	}
	name := lf.TypeName{Package: id, Module: ref.Module, Entity: ref.Entity}
	if known && (p.templates[name] != nil || p.interfaces[name] != nil) {
		return name, nil
	}
	return lf.TypeName{}, fault.IdentifiersNotFound([]string{ref.String()}, nil)
}
