package prepared_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared"
)

func TestBuild_ExecutesTheSameTransaction(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(require.TestingT) (*ledgertest.Ledger, ledger.Command){
		"a tree":  settlement,
		"fetches": look, "a contract key": rename, "two roots": issue,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, command := make(t)
			built := prepare(t, l, command, alice)
			read, err := prepared.Decode(built.Bytes())
			require.NoError(t, err)
			want, err := built.Hash(prepared.SchemeV3)
			require.NoError(t, err)
			got, err := read.Hash(prepared.SchemeV3)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, built.Metadata(), read.Metadata())
			require.Empty(t, read.Compare(built))

			l.Now = l.Now.Add(7 * time.Hour) // signing takes its time
			tx, err := execute(l, built.Bytes())
			require.NoError(t, err)
			require.Equal(t, l.Now, tx.EffectiveAt)
			for _, created := range tx.Created() {
				require.NoError(t, ledger.AuthenticateContract(created.Contract))
				require.Equal(t, l.Now, created.Contract.CreatedAt)
			}
		})
	}
}

func TestBuild_UsesContractIDsFromBeforeTheCommit(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	tx, err := interpret(l, command, alice)
	require.NoError(t, err)
	message := prepare(t, l, command, alice).Message()
	var made, used []string
	for _, node := range message.GetTransaction().GetNodes() {
		if create := node.GetV1().GetCreate(); create != nil {
			made = append(made, create.GetContractId())
		}
		if exercise := node.GetV1().GetExercise(); exercise != nil {
			used = append(used, exercise.GetContractId())
		}
	}
	require.Equal(t, []string{string(tx.Created()[0].Contract.ID[:66])}, made)
	require.Contains(t, used, made[0], "the transaction also uses what it makes")
	for _, input := range message.GetMetadata().GetInputContracts() {
		require.Greater(t, len(input.GetV1().GetContractId()), 66)
	}
	result := message.GetTransaction().GetNodes()[0].GetV1().GetExercise().GetExerciseResult()
	require.Equal(t, made[0], result.GetContractId())
}

func TestBuild_FollowsConventionsOfTheField(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	message := prepare(t, l, command, alice).Message()
	transaction := message.GetTransaction()
	require.Equal(t, "2.1", transaction.GetVersion())
	require.Equal(t, []string{"0"}, transaction.GetRoots())
	require.Len(t, transaction.GetNodeSeeds(), 4)
	for i, seed := range transaction.GetNodeSeeds() {
		require.EqualValues(t, i, seed.GetNodeId())
		require.Len(t, seed.GetSeed(), 32)
	}
	create := transaction.GetNodes()[2].GetV1().GetCreate()
	require.Equal(t, "test-model", create.GetPackageName())
	require.Equal(t, []string{string(bank)}, create.GetSignatories())
	require.Equal(t, []string{string(bank), string(bob)}, create.GetStakeholders())
	record := create.GetArgument().GetRecord()
	require.Equal(t, "Iou", record.GetRecordId().GetEntityName())
	require.Equal(t, ledgertest.ModelPackage, record.GetRecordId().GetPackageId())
	require.Equal(t, "amount", record.GetFields()[3].GetLabel())
	require.Equal(t, "12.5000000000", record.GetFields()[3].GetValue().GetNumeric())
	inputs := message.GetMetadata().GetInputContracts()
	require.Len(t, inputs, 2)
	require.Less(t, inputs[0].GetV1().GetContractId(), inputs[1].GetV1().GetContractId())
	require.EqualValues(t, ledgertest.Start.UnixMicro(), inputs[0].GetCreatedAt())
	require.Equal(t, "global-domain::1220ee::35-0", message.GetMetadata().GetSynchronizerId())
}

func TestBuild_UsesLaterSerializationForKeys(t *testing.T) {
	t.Parallel()
	l, command := rename(t)
	built := prepare(t, l, command, alice)
	transaction := built.Message().GetTransaction()
	require.Equal(t, "2", transaction.GetVersion())
	exercise := transaction.GetNodes()[0].GetV1().GetExercise()
	require.True(t, exercise.GetByKey())
	require.Equal(t, "2", exercise.GetLfVersion())
	require.Equal(t, []string{string(alice)}, exercise.GetKey().GetMaintainers())
	require.Len(t, exercise.GetKey().GetKey().GetHash(), 32)
	_, err := built.Hash(prepared.SchemeV2)
	require.ErrorContains(t, err, "LF serialization version 2 cannot be hashed with it. Use HASHING_SCHEME_VERSION_V3")
}

func TestBuild_CarriesEveryKindOfValue(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	no, seven := false, int64(7)
	text := "x"
	everything := ledgertest.Everything{
		Owner: alice, Bool: true, Int: -9_223_372_036_854_775_808, Numeric: decimal.MustParse("-0.0000000001"),
		Text: "grüße", Contract: lf.CID[ledgertest.Everything](ledgerID()), Timestamp: lf.MinTimestamp(), Date: -1,
		Maybe: &text, List: []decimal.Decimal{decimal.FromInt(1)}, TextMap: map[string]int64{"b": 2, "a": 1},
		GenMap: lf.Map[ledgertest.Round, []string]{{Key: ledgertest.Round{Number: 2}, Value: []string{"z"}}},
		Set:    lf.Set[ledger.Party]{Map: lf.Map[ledger.Party, lf.Unit]{{Key: bob}, {Key: alice}}},
		Pair:   lf.Tuple2[string, lf.Date]{V1: "one", V2: 2}, Colour: ledgertest.Colour(colour()),
		Shape: ledgertest.Shape{Box: &ledgertest.Box{Width: decimal.FromInt(2), Height: decimal.FromInt(3)}},
		Any: ledgertest.Any{Map: &map[string]ledgertest.Any{
			"k": {List: &[]ledgertest.Any{{Text: &text}}},
		}},
		Duration: lf.RelTime{Microseconds: seven}, Last: &no,
	}
	command, err := ledgertest.CreateCommand(l, everything)
	require.NoError(t, err)
	built := prepare(t, l, command, alice)
	_, err = execute(l, built.Bytes())
	require.NoError(t, err)
	fields := built.Message().GetTransaction().GetNodes()[0].GetV1().GetCreate().GetArgument().GetRecord().GetFields()
	require.Equal(t, "last", fields[len(fields)-1].GetLabel(), "what is none at the end of a record is left out")
}

func ledgerID() ledger.ContractID {
	return ledger.ContractID("00" + "11111111111111111111111111111111" + "11111111111111111111111111111111" + "ca12")
}

func colour() string { return ledgertest.Colour("").EnumType().Constructors[0] }

func TestBuild_GivesTheSameHashWithinTimeBounds(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	opens, expires := l.Now.Add(-time.Hour), l.Now.Add(time.Hour)
	id, err := ledgertest.Create(l, ledgertest.As(alice), voucher{
		Owner: alice, Opens: lf.TimestampOf(opens), Expires: lf.TimestampOf(expires),
	})
	require.NoError(t, err)
	command, err := ledgertest.ExerciseCommand(l, id, redeem{})
	require.NoError(t, err)
	built := prepare(t, l, command, alice)
	last := expires.Add(-time.Microsecond)
	require.Equal(t, &opens, built.Metadata().Earliest)
	require.Equal(t, &last, built.Metadata().Latest)
	for _, now := range []time.Time{opens, l.Now.Add(time.Minute), last} {
		l.Now = now
		_, err := execute(l, built.Bytes())
		require.NoError(t, err)
	}
	for now, want := range map[time.Time]time.Time{
		opens.Add(-time.Minute): opens, last: last, expires.Add(time.Minute): last,
	} {
		at, err := built.Metadata().LedgerTime(now)
		require.NoError(t, err)
		require.Equal(t, want, at)
	}
	_, err = prepared.Metadata{Earliest: &expires, Latest: &opens}.LedgerTime(l.Now)
	require.ErrorContains(t, err, "is after the latest one")
}

func TestBuild_FixesTheTimeThatAChoiceReads(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	broker, err := ledgertest.Create(l, ledgertest.As(bank), ledgertest.Broker{Operator: bank, Client: alice})
	require.NoError(t, err)
	command, err := ledgertest.ExerciseCommand(l, broker, ledgertest.AskTime{})
	require.NoError(t, err)
	metadata := prepare(t, l, command, alice).Metadata()
	require.Equal(t, &l.Now, metadata.Earliest)
	require.Equal(t, &l.Now, metadata.Latest)
}

func TestBuild_OmitsTimeBoundsWithoutGetTime(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	metadata := prepare(t, l, command, alice).Metadata()
	require.Nil(t, metadata.Earliest)
	require.Nil(t, metadata.Latest)
}

func TestBuild_RefusesSeveralCommands(t *testing.T) {
	t.Parallel()
	l, issued := issue(t)
	commands, refusal := l.Packages.PrepareCommands([]ledger.Command{{Create: &ledger.CreateCommand{
		Template: issued.CreateAndExercise.Template, Argument: issued.CreateAndExercise.CreateArgument,
	}}}, nil)
	require.Nil(t, refusal)
	tx, err := ledger.Interpret(ledger.Submission{ActAs: []ledger.Party{alice}, Commands: append(commands, commands...)},
		ledger.Environment{Packages: l.Packages, Store: l, EffectiveAt: l.Now, Seed: [32]byte{7}})
	require.NoError(t, err)
	_, err = prepared.Build(l.Packages, tx, metadataOf(l, alice))
	require.True(t, fault.FailedToPrepareTransaction.Matches(err))
	require.ErrorContains(t, err, "this one has 2")
}

// The hash of a transaction covers the number of roots, and each of them in order.
func TestHash_CoversEachRoot(t *testing.T) {
	t.Parallel()
	l, command := issue(t)
	built := prepare(t, l, command, alice)
	require.Equal(t, []string{"0", "1"}, built.Message().GetTransaction().GetRoots())
	for _, scheme := range []prepared.Scheme{prepared.SchemeV2, prepared.SchemeV3} {
		encoded := built.Encode(scheme)
		first, second := sha256.Sum256(encoded.Nodes["0"]), sha256.Sum256(encoded.Nodes["1"])
		require.True(t, bytes.HasSuffix(encoded.Transaction, slices.Concat([]byte{0, 0, 0, 2}, first[:], second[:])))
		whole := sha256.Sum256(append([]byte{0, 0, 0, 0x30}, encoded.Transaction...))
		require.Equal(t, whole, encoded.TransactionHash)
	}
}

func TestCheckSynchronizer_RefusesOtherIDs(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	built := prepare(t, l, command, alice) // for global-domain::1220ee::35-0
	require.Nil(t, built.CheckSynchronizer(synchronizer, 35, 0))
	for want, refusal := range map[string]*fault.Fault{
		"Please use a Logical Synchronizer ID":  built.CheckSynchronizer(synchronizer, 34, 0),
		"Please use a Physical Synchronizer ID": built.CheckSynchronizer(synchronizer, 35, 1),
		"this node is connected to other::1220": built.CheckSynchronizer("other::1220", 35, 0),
	} {
		require.Equal(t, fault.FailedToExecuteTransaction.ID, refusal.Code)
		require.ErrorContains(t, refusal, want)
	}
	message := built.Message()
	message.Metadata.MediatorGroup = 1
	require.ErrorContains(t, decode(t, message).CheckSynchronizer(synchronizer, 35, 0), "is for mediator group 1")
	message.Metadata.SynchronizerId = "no id"
	refusal := decode(t, message).CheckSynchronizer(synchronizer, 35, 0)
	require.Equal(t, fault.InvalidField.ID, refusal.Code)
}

func decode(t require.TestingT, message *ledgerpb.PreparedTransaction) *prepared.Transaction {
	read, err := prepared.Decode(marshal(t, message))
	require.NoError(t, err)
	return read
}
