package prepared

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// Build writes an interpreted transaction for signing, with the packages of its interpretation. The bounds of the
// ledger time come from the transaction, not from the metadata. The error is a *fault.Fault for transactions with more
// root nodes than one command makes.
func Build(packages *ledger.Packages, tx ledger.Transaction, metadata Metadata) (*Transaction, error) {
	if len(tx.Roots) != 1 && !createsAndExercises(tx) {
		return nil, fault.FailedToPrepareTransaction.New("The participant failed to prepare the transaction: "+
			"Transaction with multiple root nodes are not supported, and this one has %d", len(tx.Roots)).
			WithHint("Prepare each command by itself.")
	}
	metadata.Earliest, metadata.Latest = tx.Earliest, tx.Latest
	b := &builder{packages: packages, local: map[ledger.ContractID]ledger.ContractID{}}
	for _, node := range tx.Nodes {
		if node.Kind == ledger.EventCreate {
			b.local[node.ContractID] = node.ContractID[:localIDLength]
		}
	}
	message := &ledgerpb.PreparedTransaction{
		Transaction: &ledgerpb.DamlTransaction{Version: versionWithoutKeys}, Metadata: metadata.message(),
	}
	if err := b.nodes(message.GetTransaction(), tx); err != nil {
		return nil, err
	}
	if err := b.inputs(message.GetMetadata(), tx.Inputs); err != nil {
		return nil, err
	}
	t, err := adopt(message)
	if err != nil {
		return nil, fmt.Errorf("the node built a wrong prepared transaction: %w", err)
	}
	t.raw, err = proto.MarshalOptions{Deterministic: true}.Marshal(t.message)
	if err != nil {
		return nil, fmt.Errorf("encode the prepared transaction: %w", err)
	}
	return t, nil
}

// createsAndExercises reports whether a transaction is that of one CreateAndExerciseCommand: its second root is a
// choice on the contract that its first root creates.
func createsAndExercises(tx ledger.Transaction) bool {
	if len(tx.Roots) != 2 {
		return false
	}
	first, second := tx.Nodes[tx.Roots[0]], tx.Nodes[tx.Roots[1]]
	return first.Kind == ledger.EventCreate && second.Kind == ledger.EventExercise && first.ContractID == second.ContractID
}

// localIDLength is the length of a contract id before its suffix, in hexadecimal: the version byte and 32 bytes.
const localIDLength = 2 * (1 + 32)

type builder struct {
	packages *ledger.Packages
	// local maps the ids of created contracts to their ids before the commit, without the suffix.
	local map[ledger.ContractID]ledger.ContractID
}

func (b *builder) localID(id ledger.ContractID) ledger.ContractID {
	if local, ok := b.local[id]; ok {
		return local
	}
	return id
}

func (b *builder) nodes(into *ledgerpb.DamlTransaction, tx ledger.Transaction) error {
	into.Roots = ids(tx.Roots)
	for _, node := range tx.Nodes {
		built, err := b.node(node)
		if err != nil {
			return fmt.Errorf("node %d: %w", node.ID, err)
		}
		if node.Key != nil {
			into.Version = versionWithKeys
		}
		into.Nodes = append(into.Nodes, &ledgerpb.DamlTransaction_Node{
			NodeId: strconv.Itoa(int(node.ID)), VersionedNode: &ledgerpb.DamlTransaction_Node_V1{V1: built},
		})
		if needsSeed(built) {
			seed := &ledgerpb.DamlTransaction_NodeSeed{NodeId: node.ID, Seed: node.Seed[:]}
			into.NodeSeeds = append(into.NodeSeeds, seed)
		}
	}
	return nil
}

func (b *builder) node(node ledger.TxNode) (*ledgerpb.Node, error) {
	key, err := b.key(node.Template, node.PackageName, node.Key)
	if err != nil {
		return nil, err
	}
	switch node.Kind {
	case ledger.EventCreate:
		return &ledgerpb.Node{NodeType: &ledgerpb.Node_Create{Create: &ledgerpb.Create{
			LfVersion: lfVersion(key), ContractId: string(b.localID(node.ContractID)), PackageName: node.PackageName,
			TemplateId: protovalue.Identifier(node.Template), Argument: b.value(node.Argument),
			Signatories: ledger.Strings(node.Signatories), Stakeholders: ledger.Strings(node.Stakeholders()), Key: key,
		}}}, nil
	case ledger.EventFetch:
		return &ledgerpb.Node{NodeType: &ledgerpb.Node_Fetch{Fetch: &ledgerpb.Fetch{
			LfVersion: lfVersion(key), ContractId: string(b.localID(node.ContractID)), PackageName: node.PackageName,
			TemplateId: protovalue.Identifier(node.Template), Signatories: ledger.Strings(node.Signatories),
			Stakeholders: ledger.Strings(node.Stakeholders()), ActingParties: ledger.Strings(node.ActingParties),
			InterfaceId: optionalIdentifier(node.Interface), Key: key, ByKey: node.ByKey,
		}}}, nil
	default:
		return &ledgerpb.Node{NodeType: &ledgerpb.Node_Exercise{Exercise: &ledgerpb.Exercise{
			LfVersion: lfVersion(key), ContractId: string(b.localID(node.ContractID)), PackageName: node.PackageName,
			TemplateId: protovalue.Identifier(node.Template), Signatories: ledger.Strings(node.Signatories),
			Stakeholders: ledger.Strings(node.Stakeholders()), ActingParties: ledger.Strings(node.ActingParties),
			InterfaceId: optionalIdentifier(node.Interface), ChoiceId: node.Choice, ChosenValue: b.value(node.Argument),
			Consuming: node.Consuming, Children: ids(node.Children), ExerciseResult: b.value(node.Result),
			ChoiceObservers: ledger.Strings(node.ChoiceObservers), Key: key, ByKey: node.ByKey,
		}}}, nil
	}
}

func (b *builder) inputs(into *ledgerpb.Metadata, contracts []ledger.Contract) error {
	for _, contract := range contracts {
		create, err := b.inputContract(contract)
		if err != nil {
			return fmt.Errorf("input contract %s: %w", contract.ID, err)
		}
		blob, err := ledger.EncodeBlob(contract)
		if err != nil {
			return err
		}
		into.InputContracts = append(into.InputContracts, &ledgerpb.Metadata_InputContract{
			Contract:  &ledgerpb.Metadata_InputContract_V1{V1: create},
			CreatedAt: uint64(contract.CreatedAt.UnixMicro()), EventBlob: blob,
		})
	}
	return nil
}

func (b *builder) inputContract(contract ledger.Contract) (*ledgerpb.Create, error) {
	payloadType, ok := b.packages.PayloadType(contract.Template)
	if !ok {
		return nil, fmt.Errorf("template %s is unknown", contract.Template)
	}
	payload, err := lf.DecodeJSON(payloadType, contract.Payload)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	key, err := b.key(contract.Template, contract.PackageName, contract.Key)
	if err != nil {
		return nil, err
	}
	return &ledgerpb.Create{
		LfVersion: lfVersion(key), ContractId: string(contract.ID), PackageName: contract.PackageName,
		TemplateId: protovalue.Identifier(contract.Template), Argument: b.value(payload),
		Signatories: ledger.Strings(contract.Signatories), Stakeholders: ledger.Strings(contract.Stakeholders()), Key: key,
	}, nil
}

func (b *builder) key(
	template lf.TypeName, packageName string, key *ledger.ContractKey,
) (*ledgerpb.GlobalKeyWithMaintainers, error) {
	if key == nil {
		return nil, nil
	}
	keyType, ok := b.packages.KeyType(template)
	if !ok {
		return nil, fmt.Errorf("template %s has no contract key", template)
	}
	value, err := lf.DecodeJSON(keyType, key.Value)
	if err != nil {
		return nil, fmt.Errorf("contract key: %w", err)
	}
	hash, err := hex.DecodeString(key.Hash)
	if err != nil {
		return nil, fmt.Errorf("hash of the contract key: %w", err)
	}
	return &ledgerpb.GlobalKeyWithMaintainers{
		Key: &ledgerpb.GlobalKey{
			TemplateId: protovalue.Identifier(template), PackageName: packageName, Key: b.value(value), Hash: hash,
		},
		Maintainers: ledger.Strings(key.Maintainers),
	}, nil
}

func lfVersion(key *ledgerpb.GlobalKeyWithMaintainers) string {
	if key != nil {
		return versionWithKeys
	}
	return versionWithoutKeys
}

func ids(nodes []int32) []string {
	out := make([]string, len(nodes))
	for i, id := range nodes {
		out[i] = strconv.Itoa(int(id))
	}
	return out
}
