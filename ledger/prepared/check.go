package prepared

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

const seedSize = 32

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func checkMetadata(metadata *ledgerpb.Metadata) error {
	submitter := metadata.GetSubmitterInfo()
	switch {
	case len(submitter.GetActAs()) == 0:
		return missing("act_as")
	case submitter.GetCommandId() == "":
		return missing("command_id")
	case metadata.GetSynchronizerId() == "":
		return missing("synchronizer_id")
	case metadata.GetTransactionUuid() == "":
		return missing("transaction_uuid")
	case !uuidPattern.MatchString(metadata.GetTransactionUuid()):
		return malformed("transaction_uuid", fmt.Errorf("%q is not a UUID", metadata.GetTransactionUuid()))
	case len(metadata.GetGlobalKeyMapping()) > 0:
		return malformed("global_key_mapping", errors.New("it must be empty: no hash covers it"))
	}
	var err error
	if submitter.ActAs, err = sortedParties(submitter.GetActAs()); err != nil {
		return malformed("act_as", err)
	}
	if err := checkTimes(metadata); err != nil {
		return err
	}
	return checkInputs(metadata.GetInputContracts())
}

func checkTimes(metadata *ledgerpb.Metadata) error {
	times := []struct {
		field  string
		micros *uint64
	}{
		{"preparation_time", &metadata.PreparationTime},
		{"min_ledger_effective_time", metadata.MinLedgerEffectiveTime},
		{"max_ledger_effective_time", metadata.MaxLedgerEffectiveTime},
		{"max_record_time", metadata.MaxRecordTime},
	}
	for _, time := range times {
		if time.micros != nil && *time.micros > uint64(lf.MaxTimestamp()) {
			return malformed(time.field, fmt.Errorf("%d microseconds are beyond the year 9999", *time.micros))
		}
	}
	return nil
}

func checkInputs(inputs []*ledgerpb.Metadata_InputContract) error {
	for _, input := range inputs {
		if input.GetV1() == nil {
			return missing("input_contracts.contract")
		}
		if err := checkCreate(input.GetV1()); err != nil {
			return malformed("input_contracts", fmt.Errorf("contract %s: %w", input.GetV1().GetContractId(), err))
		}
		if input.GetCreatedAt() > uint64(lf.MaxTimestamp()) {
			return malformed("input_contracts", fmt.Errorf("contract %s: created_at is beyond the year 9999",
				input.GetV1().GetContractId()))
		}
	}
	slices.SortFunc(inputs, func(a, b *ledgerpb.Metadata_InputContract) int {
		return cmp.Compare(a.GetV1().GetContractId(), b.GetV1().GetContractId())
	})
	for i := range inputs {
		if id := inputs[i].GetV1().GetContractId(); i > 0 && id == inputs[i-1].GetV1().GetContractId() {
			return malformed("input_contracts", fmt.Errorf("contract %s is listed twice", id))
		}
	}
	return nil
}

// indexSeeds reads the seeds. It ignores seeds of nodes that need none, because no hash covers them.
func (t *Transaction) indexSeeds() error {
	for _, entry := range t.message.GetTransaction().GetNodeSeeds() {
		id := strconv.Itoa(int(entry.GetNodeId()))
		switch {
		case t.nodes[id] == nil:
			return fmt.Errorf("there is a seed for node %s, which does not exist", id)
		case t.seeds[id] != nil:
			return fmt.Errorf("there are two seeds for node %s", id)
		case len(entry.GetSeed()) != seedSize:
			return fmt.Errorf("the seed of node %s has %d bytes, not %d", id, len(entry.GetSeed()), seedSize)
		}
		t.seeds[id] = entry.GetSeed()
	}
	return nil
}

func checkNodeID(id string) error {
	number, err := strconv.ParseInt(id, 10, 32)
	if err != nil || number < 0 || strconv.FormatInt(number, 10) != id {
		return fmt.Errorf("node id %q is not a number from 0", id)
	}
	return nil
}

func checkNode(node *ledgerpb.Node) error {
	switch node := node.GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		return checkCreate(node.Create)
	case *ledgerpb.Node_Exercise:
		return checkExercise(node.Exercise)
	case *ledgerpb.Node_Fetch:
		return checkFetch(node.Fetch)
	case *ledgerpb.Node_QueryByKey:
		return checkQuery(node.QueryByKey)
	case *ledgerpb.Node_Rollback:
		return nil
	default:
		return errors.New("its content is of an unknown kind")
	}
}

type setOfParties struct {
	field   string
	parties *[]string
}

func sortSets(sets ...setOfParties) error {
	for _, set := range sets {
		sorted, err := sortedParties(*set.parties)
		if err != nil {
			return fmt.Errorf("%s: %w", set.field, err)
		}
		*set.parties = sorted
	}
	return nil
}

func sortedParties(parties []string) ([]string, error) {
	for _, party := range parties {
		if err := lf.CheckParty(party); err != nil {
			return nil, err
		}
	}
	slices.Sort(parties)
	return slices.Compact(parties), nil
}

func checkCreate(node *ledgerpb.Create) error {
	return cmp.Or(
		checkContract(node.GetContractId(), node.GetTemplateId(), nil),
		checkField("argument", node.GetArgument()),
		checkKey(node.GetKey()),
		sortSets(setOfParties{"signatories", &node.Signatories}, setOfParties{"stakeholders", &node.Stakeholders}),
	)
}

func checkExercise(node *ledgerpb.Exercise) error {
	var result error
	if node.GetExerciseResult() != nil {
		result = checkField("exercise_result", node.GetExerciseResult())
	}
	if err := ledger.CheckName(node.GetChoiceId()); err != nil {
		return fmt.Errorf("choice_id: %w", err)
	}
	if len(node.GetExternalCallResults()) > 0 {
		return errors.New("external_call_results: no hash covers them")
	}
	return cmp.Or(
		checkContract(node.GetContractId(), node.GetTemplateId(), node.GetInterfaceId()),
		checkField("chosen_value", node.GetChosenValue()), result, checkKey(node.GetKey()),
		sortSets(
			setOfParties{"signatories", &node.Signatories}, setOfParties{"stakeholders", &node.Stakeholders},
			setOfParties{"acting_parties", &node.ActingParties},
			setOfParties{"choice_observers", &node.ChoiceObservers},
		),
	)
}

func checkFetch(node *ledgerpb.Fetch) error {
	return cmp.Or(
		checkContract(node.GetContractId(), node.GetTemplateId(), node.GetInterfaceId()), checkKey(node.GetKey()),
		sortSets(
			setOfParties{"signatories", &node.Signatories}, setOfParties{"stakeholders", &node.Stakeholders},
			setOfParties{"acting_parties", &node.ActingParties},
		),
	)
}

func checkQuery(node *ledgerpb.QueryByKey) error {
	if node.GetKey() == nil {
		return errors.New("key is missing")
	}
	for _, id := range node.GetResult() {
		if err := ledger.CheckContractID(id); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	return cmp.Or(checkIdentifier("template_id", node.GetTemplateId()), checkKey(node.GetKey()))
}

func checkContract(id string, template, through *ledgerpb.Identifier) error {
	if err := ledger.CheckContractID(id); err != nil {
		return fmt.Errorf("contract_id: %w", err)
	}
	if through != nil {
		if err := checkIdentifier("interface_id", through); err != nil {
			return err
		}
	}
	return checkIdentifier("template_id", template)
}

func checkKey(key *ledgerpb.GlobalKeyWithMaintainers) error {
	if key == nil {
		return nil
	}
	if size := len(key.GetKey().GetHash()); size != seedSize {
		return fmt.Errorf("key: the hash has %d bytes, not %d", size, seedSize)
	}
	return cmp.Or(
		checkIdentifier("key.template_id", key.GetKey().GetTemplateId()), checkField("key", key.GetKey().GetKey()),
		sortSets(setOfParties{"key.maintainers", &key.Maintainers}),
	)
}

func checkIdentifier(field string, id *ledgerpb.Identifier) error {
	for _, part := range []string{id.GetPackageId(), id.GetModuleName(), id.GetEntityName()} {
		if part == "" || strings.Contains(part, ":") {
			return fmt.Errorf("%s: %q:%q:%q is not an identifier of package, module and entity",
				field, id.GetPackageId(), id.GetModuleName(), id.GetEntityName())
		}
	}
	return nil
}
