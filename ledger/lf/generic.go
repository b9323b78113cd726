package lf

// CID is the id of a contract of the template or interface T, for payloads and arguments written as Go structs.
type CID[T any] string

// ID is the plain contract id.
func (c CID[T]) ID() ContractID { return ContractID(c) }

func (c CID[T]) isContractID() {}

// Coerce gives a contract id another type. A fetch or exercise checks that the contract has it.
func Coerce[To, From any](id CID[From]) CID[To] { return CID[To](id) }

// Entry is one entry of a [Map].
type Entry[K, V any] struct {
	Key   K
	Value V
}

// Map is the contract language's map from any comparable key (upstream's GenMap). Entries may be in any order in Go;
// they are sorted and made unique when the map becomes a [Value].
type Map[K, V any] []Entry[K, V]

func (m Map[K, V]) isGenMap() {}

// Get finds the value of the key that eq accepts.
func (m Map[K, V]) Get(eq func(K) bool) (V, bool) {
	for _, entry := range m {
		if eq(entry.Key) {
			return entry.Value, true
		}
	}
	var none V
	return none, false
}

// Set is the contract language's set: a record around a map to unit.
type Set[K any] struct {
	_   struct{}     `lf:"daml-stdlib-DA-Set-Types:DA.Set.Types:Set"`
	Map Map[K, Unit] `lf:"map"`
}

// Tuple2 is a pair.
type Tuple2[A, B any] struct {
	_  struct{} `lf:"daml-prim-DA-Types:DA.Types:Tuple2"`
	V1 A        `lf:"_1"`
	V2 B        `lf:"_2"`
}

// Archive is the argument of the choice that every template has.
type Archive struct {
	_ struct{} `lf:"daml-prim-DA-Internal-Template:DA.Internal.Template:Archive"`
}

// StandardPackages are the packages of the contract language's own library that the types of this package belong to.
func StandardPackages() map[string]PackageID {
	return map[string]PackageID{
		"daml-prim-DA-Types":             "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4",
		"daml-prim-DA-Internal-Template": "9e70a8b3510d617f8a136213f33d6a903a10ca0eeec76bb06ba55d1ed9680f69",
		"daml-stdlib-DA-Set-Types":       "c3bb0c5d04799b3f11bad7c3c102963e115cf53da3e4afcbcfd9f06ebd82b4ff",
		"daml-stdlib-DA-Time-Types":      "b70db8369e1c461d5c70f1c86f526a29e9776c655e6ffc2560f95b05ccb8b946",
	}
}

// EnumType describes an enumeration: its name in the form package-name:Module:Entity and its constructors in
// declaration order.
type EnumType struct {
	Name         string
	Constructors []string
}

// Enumeration is implemented by Go string types that are enumerations of the contract language.
type Enumeration interface{ EnumType() EnumType }
