package adversary

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/ledgerpb"
)

// playTamper executes a changed transaction of carol with invalid signatures: it leaves out the contracts that it must
// not know, changes amounts, or breaks the encoding.
func (a *attacker) playTamper(ctx context.Context) error {
	who := a.executor()
	if a.step.random.IntN(2) == 0 {
		who = pick(a.step.random, a.identities)
	}
	m := a.maker(who)
	raw, err := base64.StdEncoding.DecodeString(a.known.prepared)
	if err != nil || len(raw) == 0 {
		return err
	}
	if raw, err = a.alter(m, a.mask(raw)); err != nil {
		return err
	}
	made := preparedTransaction{
		Transaction: base64.StdEncoding.EncodeToString(raw), Version: "HASHING_SCHEME_VERSION_V2",
	}
	forger := keyholder{key: newKey(a.side.marks.seed, "adversary"), fingerprint: a.side.carol.fingerprint}
	path := "/v2/interactive-submission/execute" + pick(m.random, []string{"", "AndWait", "AndWaitForTransaction"})
	_, err = a.post(ctx, who, path, made.executeRequest(a.known.party[carol], fmt.Sprintf("tamper-%d", a.step.number),
		forger.sign([]byte("another hash"))))
	return err
}

func (a *attacker) alter(m maker, raw []byte) ([]byte, error) {
	message := &ledgerpb.PreparedTransaction{}
	switch m.random.IntN(5) {
	case 0:
		raw[m.random.IntN(len(raw))] ^= byte(1 + m.random.IntN(255))
		return raw, nil
	case 1:
		const amount, other = "1.0000000000", "2.0000000000"
		if at := bytes.LastIndex(raw, []byte(amount)); at >= 0 {
			copy(raw[at:], other)
		}
		return raw, nil
	}
	if err := proto.Unmarshal(raw, message); err != nil {
		return nil, fmt.Errorf("read a prepared transaction: %w", err)
	}
	if m.oneIn(4) {
		message.Metadata.InputContracts = slices.DeleteFunc(message.Metadata.InputContracts,
			func(*ledgerpb.Metadata_InputContract) bool { return m.oneIn(2) })
	} else {
		a.prune(message)
	}
	return proto.Marshal(message)
}

// prune removes the private contracts from a transaction.
func (a *attacker) prune(message *ledgerpb.PreparedTransaction) {
	public := map[string]bool{}
	for _, one := range a.known.seen.contracts() {
		public[one.id] = true
	}
	transaction, metadata := message.GetTransaction(), message.GetMetadata()
	kept := map[string]bool{}
	transaction.Nodes = slices.DeleteFunc(transaction.Nodes, func(n *ledgerpb.DamlTransaction_Node) bool {
		node := n.GetV1()
		kept[n.GetNodeId()] = public[node.GetFetch().GetContractId()] || public[node.GetExercise().GetContractId()]
		return !kept[n.GetNodeId()]
	})
	for _, n := range transaction.Nodes {
		if exercise := n.GetV1().GetExercise(); exercise != nil {
			exercise.Children = slices.DeleteFunc(exercise.Children, func(id string) bool { return !kept[id] })
		}
	}
	transaction.NodeSeeds = slices.DeleteFunc(transaction.NodeSeeds, func(s *ledgerpb.DamlTransaction_NodeSeed) bool {
		return !kept[strconv.Itoa(int(s.GetNodeId()))]
	})
	metadata.InputContracts = slices.DeleteFunc(metadata.InputContracts, func(c *ledgerpb.Metadata_InputContract) bool {
		return !public[c.GetV1().GetContractId()]
	})
}

// mask replaces marks by other bytes of the same length, so that no request has a mark.
func (a *attacker) mask(raw []byte) []byte {
	text, fraction := a.side.marks.prefix(), "."+a.side.marks.fraction()
	raw = bytes.ReplaceAll(raw, []byte(text), []byte(strings.Repeat("x", len(text))))
	return bytes.ReplaceAll(raw, []byte(fraction), []byte("."+strings.Repeat("1", len(fraction)-1)))
}

func (a *attacker) executor() identity {
	return identity{name: executor, token: a.side.target.token(executor)}
}
