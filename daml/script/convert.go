package script

import (
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// convert converts a value to the type of the same name in another version of its package.
func (q *question) convert(v engine.Value, to lf.PackageID) (engine.Value, error) {
	record, ok := v.(*engine.Record)
	if !ok || record.Type.Name.Package == to {
		return v, nil
	}
	from := q.suite.packages[record.Type.Name.Package]
	if from == nil || q.suite.packages[to] == nil || from.Name != q.suite.packages[to].Name {
		return v, nil // both versions use the type's package, such as that of Archive
	}
	name := record.Type.Name
	name.Package = to
	exported, failure := engine.Export(v)
	if failure != nil {
		return nil, failure
	}
	return q.importValue(name, exported)
}

// importValue converts a stored value to a type, from any version of its package.
func (r *run) importValue(name lf.TypeName, v lf.Value) (engine.Value, error) {
	out, err := r.suite.program.Import(name, v)
	if err != nil {
		return nil, fault.CommandPreprocessingFailed.New("The value does not fit type %s: %s", name, err)
	}
	return out, nil
}
