package ledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// settleOnce starts a ledger and makes a transaction of several nodes with the submission key, a time later.
func settleOnce(t *testing.T, key string, after time.Duration) ledger.Transaction {
	t.Helper()
	book := newLedger(t)
	id, brokerID := create(t, book, iou(), alice), create(t, book, broker(), alice)
	book.Now = book.Now.Add(after)
	transaction, err := book.Submit(ledger.Submission{
		Key: key, ActAs: []ledger.Party{bob},
		Commands: []ledger.Command{
			exerciseTyped(t, book, brokerID, ledgertest.Settle{Iou: id, To: charlie, Witness: []ledger.Party{alice}}),
			exerciseTyped(t, book, brokerID, ledgertest.Issue{Issuer: alice}),
			exerciseTyped(t, book, brokerID, ledgertest.Issue{Issuer: alice}),
		},
	})
	require.NoError(t, err)
	return transaction
}

func TestContractID_IsDeterministic(t *testing.T) {
	t.Parallel()
	first, again := settleOnce(t, "key", 0), settleOnce(t, "key", 0)
	require.Equal(t, first, again)
	require.Equal(t, first.Events(), again.Events())
}

func TestContractID_DependsOnKeyAndTime(t *testing.T) {
	t.Parallel()
	ids := map[ledger.ContractID]bool{}
	for _, transaction := range []ledger.Transaction{
		settleOnce(t, "key", 0), settleOnce(t, "another key", 0), settleOnce(t, "key", time.Microsecond),
	} {
		for _, created := range transaction.Created() {
			require.NoError(t, ledger.CheckContractID(string(created.Contract.ID)))
			require.Len(t, string(created.Contract.ID), 2*(1+32+2+32))
			ids[created.Contract.ID] = true
		}
	}
	require.Len(t, ids, 9, "three contracts in each of three transactions, all different")
}

func TestContractID_SeedsOfNodesDiffer(t *testing.T) {
	t.Parallel()
	seeds := map[[32]byte]bool{}
	transaction := settleOnce(t, "key", 0)
	for _, node := range transaction.Nodes {
		seeds[node.Seed] = true
	}
	require.Len(t, seeds, len(transaction.Nodes))
	require.NotEqual(t, ledger.SubmissionSeed([]byte("secret"), "key"), ledger.SubmissionSeed([]byte("secre"), "tkey"))
}

func TestContractID_FinalFormIsInResultsAndUses(t *testing.T) {
	t.Parallel()
	transaction := settleOnce(t, "key", 0)
	settled := transaction.Nodes[2].ContractID
	require.Equal(t, ledger.EventCreate, transaction.Nodes[2].Kind)
	require.Equal(t, settled, transaction.Nodes[3].ContractID, "the exercise on the new contract")
	for _, node := range []int{0, 1} {
		require.JSONEq(t, `"`+string(settled)+`"`, string(transaction.Events()[node].Result))
	}
	require.Equal(t, settled, transaction.Created()[0].Contract.ID)
}

func TestAuthenticateContract_RefusesChangedFields(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, badge("sheriff"), alice)
	genuine := book.Active[id.ID()]
	require.NoError(t, ledger.AuthenticateContract(genuine))
	for name, tamper := range map[string]func(c *ledger.Contract){
		"payload": func(c *ledger.Contract) {
			c.Payload = []byte(strings.Replace(string(c.Payload), "sheriff", "king", 1))
		},
		"template":     func(c *ledger.Contract) { c.Template.Entity = "Iou" },
		"package":      func(c *ledger.Contract) { c.Template.Package = ledgertest.AssetPackage },
		"package name": func(c *ledger.Contract) { c.PackageName = "other" },
		"signatories":  func(c *ledger.Contract) { c.Signatories = []ledger.Party{bob} },
		"observers":    func(c *ledger.Contract) { c.Observers = []ledger.Party{bob} },
		"a signatory made an observer": func(c *ledger.Contract) {
			c.Signatories, c.Observers = nil, []ledger.Party{alice}
		},
		"time": func(c *ledger.Contract) { c.CreatedAt = c.CreatedAt.Add(time.Microsecond) },
		"key": func(c *ledger.Contract) {
			key := *c.Key
			key.Hash = strings.Repeat("0", 64)
			c.Key = &key
		},
		"maintainers": func(c *ledger.Contract) {
			key := *c.Key
			key.Maintainers = []ledger.Party{bob}
			c.Key = &key
		},
		"no key": func(c *ledger.Contract) { c.Key = nil },
		"id": func(c *ledger.Contract) {
			c.ID = c.ID[:len(c.ID)-1] + ledger.ContractID("0123456789abcdef"[(c.ID[len(c.ID)-1]+1)%16])
		},
		"a longer id":          func(c *ledger.Contract) { c.ID += "00" },
		"a shorter id":         func(c *ledger.Contract) { c.ID = c.ID[:20] },
		"an id without suffix": func(c *ledger.Contract) { c.ID = c.ID[:66] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tampered := genuine
			tamper(&tampered)
			require.Error(t, ledger.AuthenticateContract(tampered))
			blob, err := ledger.EncodeBlob(tampered)
			require.NoError(t, err)
			_, err = ledger.DecodeBlob(blob)
			require.Error(t, err)
		})
	}
}

func TestBlob_CarriesAContract(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	for _, id := range []ledger.ContractID{
		create(t, book, badge("<&> \u2028 ü"), alice).ID(), create(t, book, iou(), alice).ID(),
	} {
		blob, err := ledger.EncodeBlob(book.Active[id])
		require.NoError(t, err)
		contract, err := ledger.DecodeBlob(blob)
		require.NoError(t, err)
		require.Equal(t, book.Active[id].Payload, contract.Payload)
		again, err := ledger.EncodeBlob(contract)
		require.NoError(t, err)
		require.Equal(t, string(blob), string(again))
	}
}

func TestBlob_RefusesMalformedBytes(t *testing.T) {
	t.Parallel()
	for _, blob := range []string{"", "\x01", "\x02{}", "\x01{}", "\x01{\"extra\":1}", "{}"} {
		_, err := ledger.DecodeBlob([]byte(blob))
		require.Error(t, err, "%q", blob)
	}
}
