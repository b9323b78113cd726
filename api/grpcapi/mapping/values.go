package mapping

import (
	"encoding/json"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// In JSON a value has the form of its type; a protobuf value says its form itself. Both need the type, to check what
// comes in and to label what goes out.

var rawType = reflect.TypeFor[json.RawMessage]()

// isValue reports whether a field is a value of the contract language, or a record.
func isValue(field protoreflect.FieldDescriptor) bool {
	message := field.Message()
	return message != nil && !field.IsList() && !field.IsMap() &&
		(message.FullName() == "com.daml.ledger.api.v2.Value" || message.FullName() == "com.daml.ledger.api.v2.Record")
}

// typeOf finds the type of a value in its struct; nil if the packages have no such template, choice or view.
type typeOf func(c *Conversion, parent any) *lf.Type

// valueTypes are the types of all values in messages.
var valueTypes = map[protoreflect.FullName]typeOf{
	"com.daml.ledger.api.v2.CreateCommand.create_arguments": func(c *Conversion, parent any) *lf.Type {
		return c.payload(parent.(ledgerapi.CreateCommand).TemplateID)
	},
	"com.daml.ledger.api.v2.ExerciseCommand.choice_argument": func(c *Conversion, parent any) *lf.Type {
		command := parent.(ledgerapi.ExerciseCommand)
		return c.argument(command.TemplateID, command.Choice)
	},
	"com.daml.ledger.api.v2.ExerciseByKeyCommand.choice_argument": func(c *Conversion, parent any) *lf.Type {
		command := parent.(ledgerapi.ExerciseByKeyCommand)
		return c.argument(command.TemplateID, command.Choice)
	},
	"com.daml.ledger.api.v2.ExerciseByKeyCommand.contract_key": func(c *Conversion, parent any) *lf.Type {
		return c.key(parent.(ledgerapi.ExerciseByKeyCommand).TemplateID)
	},
	"com.daml.ledger.api.v2.CreateAndExerciseCommand.create_arguments": func(c *Conversion, parent any) *lf.Type {
		return c.payload(parent.(ledgerapi.CreateAndExerciseCommand).TemplateID)
	},
	"com.daml.ledger.api.v2.CreateAndExerciseCommand.choice_argument": func(c *Conversion, parent any) *lf.Type {
		command := parent.(ledgerapi.CreateAndExerciseCommand)
		return c.argument(command.TemplateID, command.Choice)
	},
	"com.daml.ledger.api.v2.PrefetchContractKey.contract_key": func(c *Conversion, parent any) *lf.Type {
		return c.key(parent.(ledgerapi.PrefetchContractKey).TemplateID)
	},
	"com.daml.ledger.api.v2.CreatedEvent.create_arguments": func(c *Conversion, parent any) *lf.Type {
		payload, _ := c.Packages.PayloadType(parent.(ledgerapi.CreatedEvent).TemplateID)
		return payload
	},
	"com.daml.ledger.api.v2.CreatedEvent.contract_key": func(c *Conversion, parent any) *lf.Type {
		key, _ := c.Packages.KeyType(parent.(ledgerapi.CreatedEvent).TemplateID)
		return key
	},
	"com.daml.ledger.api.v2.InterfaceView.view_value": func(c *Conversion, parent any) *lf.Type {
		view, _ := c.Packages.ViewType(parent.(ledgerapi.JsInterfaceView).InterfaceID)
		return view
	},
	"com.daml.ledger.api.v2.ExercisedEvent.choice_argument": func(c *Conversion, parent any) *lf.Type {
		event := parent.(ledgerapi.ExercisedEvent)
		argument, _ := c.Packages.ChoiceType(choiceOwner(event), event.Choice)
		return argument
	},
	"com.daml.ledger.api.v2.ExercisedEvent.exercise_result": func(c *Conversion, parent any) *lf.Type {
		event := parent.(ledgerapi.ExercisedEvent)
		result, _ := c.Packages.ResultType(choiceOwner(event), event.Choice)
		return result
	},
}

// choiceOwner is the template or interface that declares the choice.
func choiceOwner(event ledgerapi.ExercisedEvent) lf.TypeName {
	if event.InterfaceID != nil {
		return *event.InterfaceID
	}
	return event.TemplateID
}

// resolve finds the template or interface of a name; the zero name if there is none. The endpoint refuses that itself.
func (c *Conversion) resolve(name lf.TypeName) lf.TypeName {
	resolved, refusal := c.Packages.ResolveTemplate(name, c.Preference)
	if refusal != nil {
		return lf.TypeName{}
	}
	return resolved
}

func (c *Conversion) payload(name lf.TypeName) *lf.Type {
	found, _ := c.Packages.PayloadType(c.resolve(name))
	return found
}

func (c *Conversion) key(name lf.TypeName) *lf.Type {
	found, _ := c.Packages.KeyType(c.resolve(name))
	return found
}

func (c *Conversion) argument(name lf.TypeName, choice string) *lf.Type {
	found, _ := c.Packages.ChoiceType(c.resolve(name), choice)
	return found
}

// decodeValue reads a value as JSON. Without its type the JSON is null: the endpoint then refuses the name before it
// looks at the value.
func (c *Conversion) decodeValue(field *fieldPlan, from protoreflect.Message, to reflect.Value) error {
	target := to.FieldByIndex(field.index)
	target.SetBytes([]byte("null"))
	t := field.typed(c, to.Interface())
	if t == nil {
		return nil
	}
	if !from.Has(field.descriptor) {
		return fault.MissingFieldNamed(string(field.descriptor.Name()))
	}
	var value lf.Value
	var err error
	switch message := from.Get(field.descriptor).Message().Interface().(type) {
	case *ledgerpb.Value:
		value, err = protovalue.Decode(t, message)
	case *ledgerpb.Record:
		value, err = protovalue.DecodeRecord(t, message)
	}
	if err != nil {
		return ledger.ValueRefusal(field.descriptor.JSONName(), err)
	}
	target.SetBytes(lf.EncodeJSON(t, value))
	return nil
}

// appendValue appends JSON of the record as a value.
func (c *Conversion) appendValue(to []byte, field *fieldPlan, from reflect.Value) ([]byte, error) {
	raw := from.FieldByIndex(field.index).Bytes()
	t := field.typed(c, from.Interface())
	switch isNull := string(raw) == "null"; {
	case isNull && (t == nil || t.Kind != lf.KindOptional): // null is a value only as None
		return to, nil
	case t == nil:
		return nil, fault.Internal(fmt.Errorf("no type for %s of %+v", field.descriptor.FullName(), from.Interface()))
	}
	value, err := lf.DecodeJSON(t, raw)
	if err != nil {
		return nil, fault.Internal(fmt.Errorf("%s: %w", field.descriptor.FullName(), err))
	}
	to = protowire.AppendTag(to, field.descriptor.Number(), protowire.BytesType)
	if record, ok := value.(lf.Record); ok && field.descriptor.Message().Name() == "Record" {
		return appendMessage(to, c.Values.Record(record))
	}
	return appendMessage(to, c.Values.Value(value))
}
