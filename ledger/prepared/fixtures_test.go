package prepared_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared"
)

const (
	alice = ledger.Party("alice::1220aa")
	bob   = ledger.Party("bob::1220bb")
	carol = ledger.Party("carol::1220cc")
	bank  = ledger.Party("bank::1220dd")

	synchronizer = "global-domain::1220ee"
)

// deadlinePackage has a choice that compares the time without reading it.
const deadlinePackage = "3333333333333333333333333333333333333333333333333333333333333333"

type voucher struct {
	_       struct{}     `lf:"test-deadline:Test.Deadline:Voucher"`
	Owner   ledger.Party `lf:"owner"`
	Opens   lf.Timestamp `lf:"opens"`
	Expires lf.Timestamp `lf:"expires"`
}

type redeem struct {
	_ struct{} `lf:"test-deadline:Test.Deadline:Redeem"`
}

func deadlinePackageOf() ledger.Package {
	return ledger.Package{
		ID: deadlinePackage, Name: "test-deadline", Version: "1.0.0",
		Templates: []ledger.TemplateSource{ledger.Template[voucher]{
			Signatories: func(v voucher) []ledger.Party { return []ledger.Party{v.Owner} },
			Choices: []ledger.ChoiceOf[voucher]{ledger.Choice[voucher, redeem, lf.Unit]{
				Consuming:   true,
				Controllers: func(v voucher, _ redeem) []ledger.Party { return []ledger.Party{v.Owner} },
				Body: func(tx *ledger.Tx, _ lf.CID[voucher], v voucher, _ redeem) (lf.Unit, error) {
					if err := ledger.RequireDeadlineExceeded(tx, "opens", v.Opens); err != nil {
						return lf.Unit{}, err
					}
					return lf.Unit{}, ledger.RequireWithinDeadline(tx, "expires", v.Expires)
				},
			}},
		}},
	}
}

func newLedger(t require.TestingT) *ledgertest.Ledger {
	l, err := ledgertest.New(append(ledgertest.Packages(), deadlinePackageOf())...)
	require.NoError(t, err)
	return l
}

func metadataOf(l *ledgertest.Ledger, actAs ...ledger.Party) prepared.Metadata {
	latest := l.Now.Add(24 * time.Hour)
	return prepared.Metadata{
		ActAs: actAs, CommandID: "command-1", SynchronizerID: prepared.SynchronizerID(synchronizer, 35, 0),
		TransactionUUID: "4c6471d3-4e09-49dd-addf-6cd90e19c583", PreparationTime: l.Now, LatestRecordTime: &latest,
	}
}

// interpret runs a command on the ledger without applying its transaction.
func interpret(l *ledgertest.Ledger, command ledger.Command, actAs ...ledger.Party) (ledger.Transaction, error) {
	commands, refusal := l.Packages.PrepareCommands([]ledger.Command{command}, nil)
	if refusal != nil {
		return ledger.Transaction{}, refusal
	}
	return ledger.Interpret(ledger.Submission{ActAs: ledger.SortedParties(actAs), Commands: commands},
		ledger.Environment{Packages: l.Packages, Store: l, EffectiveAt: l.Now, Seed: [32]byte{7}})
}

func prepare(
	t require.TestingT, l *ledgertest.Ledger, command ledger.Command, actAs ...ledger.Party,
) *prepared.Transaction {
	tx, err := interpret(l, command, actAs...)
	require.NoError(t, err)
	built, err := prepared.Build(l.Packages, tx, metadataOf(l, actAs...))
	require.NoError(t, err)
	return built
}

// execute runs a prepared transaction as a node does, without signatures and storage.
func execute(l *ledgertest.Ledger, raw []byte) (ledger.Transaction, error) {
	read, err := prepared.Decode(raw)
	if err != nil {
		return ledger.Transaction{}, err
	}
	execution, refusal := read.Execution(l.Packages)
	if refusal != nil {
		return ledger.Transaction{}, refusal
	}
	tx, err := ledger.Interpret(ledger.Submission{
		ActAs: execution.Metadata.ActAs, Commands: []ledger.Command{execution.Command}, Disclosed: execution.Inputs,
		Preference: execution.Preference,
	}, ledger.Environment{Packages: l.Packages, Store: l, EffectiveAt: l.Now, Prepared: &execution.Run})
	if err != nil {
		return ledger.Transaction{}, err
	}
	return tx, read.Verify(l.Packages, tx)
}

// settlement is a transaction with every kind of node that a node makes, on a ledger where alice's broker may do it.
func settlement(t require.TestingT) (*ledgertest.Ledger, ledger.Command) {
	l := newLedger(t)
	iou, err := ledgertest.Create(l, ledgertest.As(bank), ledgertest.Iou{
		Issuer: bank, Owner: alice, Observers: []ledger.Party{bob}, Amount: decimal.MustParse("12.5"),
	})
	require.NoError(t, err)
	broker, err := ledgertest.Create(l, ledgertest.As(bank), ledgertest.Broker{Operator: bank, Client: alice})
	require.NoError(t, err)
	command, err := ledgertest.ExerciseCommand(l, broker, ledgertest.Settle{
		Iou: iou, To: bob, Witness: []ledger.Party{alice},
	})
	require.NoError(t, err)
	return l, command
}

// look is a transaction that fetches, once through an interface.
func look(t require.TestingT) (*ledgertest.Ledger, ledger.Command) {
	l := newLedger(t)
	iou, err := ledgertest.Create(l, ledgertest.As(bank), ledgertest.Iou{
		Issuer: bank, Owner: alice, Amount: decimal.MustParse("1"),
	})
	require.NoError(t, err)
	broker, err := ledgertest.Create(l, ledgertest.As(bank), ledgertest.Broker{Operator: bank, Client: alice})
	require.NoError(t, err)
	command, err := ledgertest.ExerciseCommand(l, broker, ledgertest.Look{Iou: iou})
	require.NoError(t, err)
	return l, command
}

// rename is a transaction on a contract with a key, found by the key.
func rename(t require.TestingT) (*ledgertest.Ledger, ledger.Command) {
	l := newLedger(t)
	badge := ledgertest.Badge{Owner: alice, Maintainers: []ledger.Party{alice}, Subject: "chess"}
	_, err := ledgertest.Create(l, ledgertest.As(alice), badge)
	require.NoError(t, err)
	name, err := lf.ParseTypeName("#test-model:Test.Model:Badge")
	require.NoError(t, err)
	return l, ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
		Template: name, Choice: "Rename", Key: []byte(`{"maintainers":["alice::1220aa"],"subject":"chess","contract":null}`),
		Argument: []byte(`{"subject":"go"}`),
	}}
}

// issue is a transaction with two roots: alice creates an IOU and transfers it at once.
func issue(t require.TestingT) (*ledgertest.Ledger, ledger.Command) {
	name, err := lf.ParseTypeName("#test-model:Test.Model:Iou")
	require.NoError(t, err)
	return newLedger(t), ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: name, Choice: "TransferIou", ChoiceArgument: []byte(`{"newOwner":"alice::1220aa"}`),
		CreateArgument: []byte(`{"issuer":"alice::1220aa","owner":"alice::1220aa","observers":[],"amount":"1"}`),
	}}
}

func marshal(t require.TestingT, message *ledgerpb.PreparedTransaction) []byte {
	raw, err := proto.Marshal(message)
	require.NoError(t, err)
	return raw
}
