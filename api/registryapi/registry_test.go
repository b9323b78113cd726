package registryapi_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const (
	factoryInterface = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferFactory"
	instructionInterface = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferInstruction"
	allocationFactoryInterface = "#splice-api-token-allocation-instruction-v1:" +
		"Splice.Api.Token.AllocationInstructionV1:AllocationFactory"
	allocationInterface = "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation"
)

type choiceContext struct {
	ChoiceContextData json.RawMessage
	Disclosed         []apitest.Disclosed `json:"disclosedContracts"`
}

func (c choiceContext) value(t *testing.T, key string) string {
	t.Helper()
	var data struct {
		Values map[string]struct {
			Tag   string
			Value any
		}
	}
	require.NoError(t, json.Unmarshal(c.ChoiceContextData, &data))
	switch value := data.Values[key].Value.(type) {
	case string:
		require.Equal(t, "AV_ContractId", data.Values[key].Tag)
		return value
	case bool:
		require.Equal(t, "AV_Bool", data.Values[key].Tag)
		return map[bool]string{true: "true", false: "false"}[value]
	default:
		return ""
	}
}

// extraArgs is the part of a choice's argument that the context goes into.
func (c choiceContext) extraArgs() map[string]any {
	return map[string]any{"context": c.ChoiceContextData, "meta": map[string]any{"values": map[string]any{}}}
}

// transfer is the argument of TransferFactory_Transfer that wallets send to the registry.
func transfer(s *apitest.Server, sender, receiver ledger.Party, amount string, inputs ...string) map[string]any {
	if inputs == nil {
		inputs = []string{}
	}
	now := time.Now()
	return map[string]any{
		"expectedAdmin": s.Node.DSO,
		"transfer": map[string]any{
			"sender": sender, "receiver": receiver, "amount": amount,
			"instrumentId": map[string]any{"admin": s.Node.DSO, "id": "Amulet"},
			"requestedAt":  now.Add(-time.Minute), "executeBefore": now.Add(24 * time.Hour),
			"inputHoldingCids": inputs, "lock": nil,
			"meta": map[string]any{"values": map[string]any{"splice.lfdecentralizedtrust.org/reason": "lunch"}},
		},
		"extraArgs": map[string]any{
			"context": map[string]any{"values": map[string]any{}}, "meta": map[string]any{"values": map[string]any{}},
		},
	}
}

type factory struct {
	FactoryID     string
	TransferKind  string
	ChoiceContext choiceContext
}

func askFactory(s *apitest.Server, argument map[string]any) factory {
	var answer factory
	s.Call("", http.MethodPost, "/registry/transfer-instruction/v1/transfer-factory", map[string]any{
		"choiceArguments": argument, "excludeDebugFields": true,
	}).OK(&answer)
	return answer
}

// send asks the registry, as a wallet does, and exercises the factory. It returns the instruction, if any.
func send(
	t *testing.T, s *apitest.Server, from *apitest.Wallet, to ledger.Party, amount string,
) (kind, instruction string) {
	t.Helper()
	var inputs []string
	for id, holding := range from.Holdings() {
		if string(holding.Lock) == "null" {
			inputs = append(inputs, id)
		}
	}
	argument := transfer(s, from.Party, to, amount, inputs...)
	answer := askFactory(s, argument)
	argument["extraArgs"] = answer.ChoiceContext.extraArgs()
	var result struct {
		Output struct {
			Value struct{ TransferInstructionCid string }
		}
	}
	require.NoError(t, json.Unmarshal(from.Exercise(factoryInterface, answer.FactoryID, "TransferFactory_Transfer",
		argument, answer.ChoiceContext.Disclosed...), &result))
	return answer.TransferKind, result.Output.Value.TransferInstructionCid
}

func contextOf(s *apitest.Server, path string) choiceContext {
	var answer choiceContext
	s.Call("", http.MethodPost, "/registry/"+path, map[string]any{}).OK(&answer)
	return answer
}

// listAmounts includes locked coins.
func listAmounts(w *apitest.Wallet) []string {
	var all []string
	for _, holding := range w.Holdings() {
		all = append(all, holding.Amount)
	}
	return all
}

func TestInstruments_ListsCoin(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})

	t.Run("the administrator is the DSO", func(t *testing.T) {
		t.Parallel()
		var info struct {
			AdminID       ledger.Party
			SupportedApis map[string]int
		}
		s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/info", nil).OK(&info)
		require.Equal(t, s.Node.DSO, info.AdminID)
		require.Equal(t, map[string]int{"splice-api-token-metadata-v1": 1}, info.SupportedApis)
	})
	t.Run("the coin is the one instrument, and nobody has counted it yet", func(t *testing.T) {
		t.Parallel()
		var list struct {
			Instruments []struct {
				ID, Name, Symbol string
				Decimals         int
				TotalSupply      *string
			}
			NextPageToken *string
		}
		s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments?pageSize=25", nil).OK(&list)
		require.Len(t, list.Instruments, 1)
		require.Equal(t, "Amulet", list.Instruments[0].ID)
		require.Equal(t, 10, list.Instruments[0].Decimals)
		require.Nil(t, list.Instruments[0].TotalSupply)
		require.Nil(t, list.NextPageToken)
		one := s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments/Amulet", nil)
		one.OK(nil)
	})
	t.Run("others are not there", func(t *testing.T) {
		t.Parallel()
		fails(t, s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments/Gold", nil),
			http.StatusNotFound, "No instrument with id Gold found")
	})
	t.Run("a page of nothing makes no sense", func(t *testing.T) {
		t.Parallel()
		fails(t, s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments?pageSize=0", nil),
			http.StatusBadRequest, "pageSize is 0: it must be at least 1")
		fails(t, s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments?pageToken=x", nil),
			http.StatusBadRequest, `pageToken "x" is not from this node: omit it`)
		require.Contains(t, s.In(t).Call("", http.MethodGet, "/registry/metadata/v1/instruments?pageSize=x", nil).
			Plain(http.StatusBadRequest), "The request content was malformed:")
	})
}

func TestTransferFactory_ChoosesTransferKind(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Wallet("alice"), s.Wallet("bob")

	t.Run("to somebody without a preapproval, by an offer", func(t *testing.T) {
		t.Parallel()
		answer := askFactory(s.In(t), transfer(s, alice.Party, bob.Party, "5"))
		require.Equal(t, "offer", answer.TransferKind)
		ids := map[string]bool{}
		for _, contract := range answer.ChoiceContext.Disclosed {
			ids[contract.ContractID] = true
			require.NotEmpty(t, contract.CreatedEventBlob)
			require.Equal(t, s.Node.SynchronizerID, contract.SynchronizerID)
		}
		require.Contains(t, ids, answer.FactoryID)
		for _, key := range []string{"amulet-rules", "open-round", "external-party-config-state"} {
			require.Contains(t, ids, answer.ChoiceContext.value(t, key), key)
		}
		require.Len(t, ids, 4)
		require.Empty(t, answer.ChoiceContext.value(t, "transfer-preapproval"))
	})
	t.Run("to oneself, at once", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "self", askFactory(s.In(t), transfer(s, alice.Party, alice.Party, "5")).TransferKind)
	})
	t.Run("even from the DSO, which has no coin: wallets do this before a tap", func(t *testing.T) {
		t.Parallel()
		require.NotEmpty(t, askFactory(s.In(t), transfer(s, s.Node.DSO, bob.Party, "5")).FactoryID)
	})
	t.Run("with what people look at, unless that is not wanted", func(t *testing.T) {
		t.Parallel()
		var answer struct {
			ChoiceContext struct {
				DisclosedContracts []struct {
					DebugPackageName *string
					DebugPayload     json.RawMessage
				}
			}
		}
		body := map[string]any{"choiceArguments": transfer(s, alice.Party, bob.Party, "5")}
		s.In(t).Call("", http.MethodPost, "/registry/transfer-instruction/v1/transfer-factory", body).OK(&answer)
		require.Equal(t, "splice-amulet", *answer.ChoiceContext.DisclosedContracts[0].DebugPackageName)
		body["excludeDebugFields"] = true
		s.In(t).Call("", http.MethodPost, "/registry/transfer-instruction/v1/transfer-factory", body).OK(&answer)
		require.Nil(t, answer.ChoiceContext.DisclosedContracts[0].DebugPackageName)
	})
	t.Run("not with an argument that is none", func(t *testing.T) {
		t.Parallel()
		for name, change := range map[string]func(transfer map[string]any){
			"without a receiver":     func(transfer map[string]any) { delete(transfer, "receiver") },
			"with half an amount":    func(transfer map[string]any) { transfer["amount"] = "1." },
			"with a time that isn't": func(transfer map[string]any) { transfer["executeBefore"] = "tomorrow" },
			"with a strange sender":  func(transfer map[string]any) { transfer["sender"] = "a b!" },
		} {
			argument := transfer(s, alice.Party, bob.Party, "5")
			change(argument["transfer"].(map[string]any)) // made above
			answer := s.In(t).Call("", http.MethodPost, "/registry/transfer-instruction/v1/transfer-factory",
				map[string]any{"choiceArguments": argument})
			require.Contains(t, errorOf(t, answer, http.StatusBadRequest),
				"Field `choiceArguments` does not contain a valid `TransferFactory_Transfer`: ", name)
		}
	})
	t.Run("not without an argument", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, s.In(t).Call("", http.MethodPost, "/registry/transfer-instruction/v1/transfer-factory",
			map[string]any{}).Plain(http.StatusBadRequest), "Missing required field at 'choiceArguments'")
	})
}

func TestTransferInstruction_GivesChoiceContexts(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Wallet("alice"), s.Wallet("bob")
	alice.Tap("100")

	exercise := func(t *testing.T, wallet *apitest.Wallet, instruction, verb, choice string) {
		t.Helper()
		context := contextOf(s.In(t), "transfer-instruction/v1/"+instruction+"/choice-contexts/"+verb)
		require.Equal(t, "true", context.value(t, "expire-lock"))
		wallet.In(t).Exercise(instructionInterface, instruction, choice,
			map[string]any{"extraArgs": context.extraArgs()}, context.Disclosed...)
	}
	kind, instruction := send(t, s, alice, bob.Party, "25")
	require.Equal(t, "offer", kind)
	require.ElementsMatch(t, []string{"75.0000000000", "25.0000000000"}, listAmounts(alice))
	exercise(t, bob, instruction, "accept", "TransferInstruction_Accept")
	require.ElementsMatch(t, []string{"75.0000000000"}, listAmounts(alice))
	require.ElementsMatch(t, []string{"25.0000000000"}, listAmounts(bob))
	for _, verb := range []string{"accept", "reject", "withdraw"} { // it is over
		fails(t, s.Call("", http.MethodPost, "/registry/transfer-instruction/v1/"+instruction+
			"/choice-contexts/"+verb, map[string]any{}),
			http.StatusNotFound, "AmuletTransferInstruction '"+instruction+"' not found.")
	}

	_, instruction = send(t, s, alice, bob.Party, "10")
	exercise(t, bob, instruction, "reject", "TransferInstruction_Reject")
	_, instruction = send(t, s, alice, bob.Party, "10")
	exercise(t, alice, instruction, "withdraw", "TransferInstruction_Withdraw")
	require.ElementsMatch(t, []string{"25.0000000000"}, listAmounts(bob))
	kind, _ = send(t, s, alice, alice.Party, "75")
	require.Equal(t, "self", kind)
	require.Equal(t, []string{"75.0000000000"}, listAmounts(alice))
	cleanAudit(t, s)
}

// contract: transfer-preapproved
func TestTransferFactory_DirectToPreapprovedReceiver(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob, operator := s.Wallet("alice"), s.Wallet("bob"), s.Operator()
	alice.Tap("100")
	preapprove(t, s, operator, bob)
	kind, _ := send(t, s, alice, bob.Party, "25")
	require.Equal(t, "direct", kind)
	require.Equal(t, []string{"75.0000000000"}, listAmounts(alice))
	require.Equal(t, []string{"25.0000000000"}, listAmounts(bob))
	answer := askFactory(s, transfer(s, alice.Party, bob.Party, "5"))
	require.NotEmpty(t, answer.ChoiceContext.value(t, "transfer-preapproval"))
	require.Empty(t, answer.ChoiceContext.value(t, "featured-app-right"))
	feature(t, operator)
	answer = askFactory(s, transfer(s, alice.Party, bob.Party, "5"))
	require.NotEmpty(t, answer.ChoiceContext.value(t, "featured-app-right"))
	kind, _ = send(t, s, alice, bob.Party, "5")
	require.Equal(t, "direct", kind)
	cleanAudit(t, s)
}

func TestAllocation_GivesChoiceContexts(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Wallet("alice"), s.Wallet("bob")
	allocate := func() string { return allocate(t, s, alice, bob.Party) }
	s.ActingAs("both", alice.Party, bob.Party)

	allocation := allocate()
	context := contextOf(s, "allocations/v1/"+allocation+"/choice-contexts/withdraw")
	alice.Exercise(allocationInterface, allocation, "Allocation_Withdraw",
		map[string]any{"extraArgs": context.extraArgs()}, context.Disclosed...)
	require.ElementsMatch(t, []string{"90.0000000000", "10.0000000000"}, listAmounts(alice), "returned, not merged")
	for _, verb := range []string{"execute-transfer", "withdraw", "cancel"} {
		fails(t, s.Call("", http.MethodPost, "/registry/allocations/v1/"+allocation+"/choice-contexts/"+verb,
			map[string]any{}), http.StatusNotFound, "AmuletAllocation '"+allocation+"' not found.")
	}

	allocation = allocate()
	cancel := contextOf(s, "allocations/v1/"+allocation+"/choice-contexts/cancel")
	require.Equal(t, "true", cancel.value(t, "expire-lock"))
	execute := contextOf(s, "allocations/v1/"+allocation+"/choice-contexts/execute-transfer")
	require.NotEmpty(t, execute.value(t, "external-party-config-state"))
	answer := s.Call("both", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commands": []any{map[string]any{"ExerciseCommand": map[string]any{
			"templateId": allocationInterface, "contractId": allocation, "choice": "Allocation_ExecuteTransfer",
			"choiceArgument": map[string]any{"extraArgs": execute.extraArgs()},
		}}},
		"commandId": "settle", "actAs": []ledger.Party{alice.Party, bob.Party}, "disclosedContracts": execute.Disclosed,
	})
	answer.OK(nil)
	require.Equal(t, []string{"10.0000000000"}, listAmounts(bob))
	fails(t, s.Call("", http.MethodPost, "/registry/allocation-instruction/v1/allocation-factory",
		map[string]any{"choiceArguments": map[string]any{}}), http.StatusBadRequest,
		"Field `choiceArguments` does not contain a valid `AllocationFactory_Allocate`: Missing non-optional fields: "+
			"expectedAdmin, allocation, requestedAt, inputHoldingCids, extraArgs")
	cleanAudit(t, s)
}

// allocate taps and sets ten coins aside for the receiver, who executes the settlement.
func allocate(t *testing.T, s *apitest.Server, from *apitest.Wallet, receiver ledger.Party) string {
	t.Helper()
	if len(from.Holdings()) == 0 {
		from.Tap("100")
	}
	var inputs []string
	for id := range from.Holdings() {
		inputs = append(inputs, id)
	}
	now := time.Now()
	argument := map[string]any{
		"expectedAdmin": s.Node.DSO, "requestedAt": now.Add(-time.Minute), "inputHoldingCids": inputs,
		"allocation": map[string]any{
			"settlement": map[string]any{
				"executor": receiver, "settlementRef": map[string]any{"id": "trade"}, "meta": noMeta(),
				"requestedAt": now.Add(-time.Minute), "allocateBefore": now.Add(time.Hour),
				"settleBefore": now.Add(2 * time.Hour),
			},
			"transferLegId": "leg",
			"transferLeg": map[string]any{
				"sender": from.Party, "receiver": receiver, "amount": "10",
				"instrumentId": map[string]any{"admin": s.Node.DSO, "id": "Amulet"}, "meta": noMeta(),
			},
		},
		"extraArgs": map[string]any{"context": noMeta(), "meta": noMeta()},
	}
	var answer factory
	s.Call("", http.MethodPost, "/registry/allocation-instruction/v1/allocation-factory",
		map[string]any{"choiceArguments": argument}).OK(&answer)
	argument["extraArgs"] = answer.ChoiceContext.extraArgs()
	var result struct {
		Output struct {
			Value struct{ AllocationCid string }
		}
	}
	require.NoError(t, json.Unmarshal(from.Exercise(allocationFactoryInterface, answer.FactoryID,
		"AllocationFactory_Allocate", argument, answer.ChoiceContext.Disclosed...), &result))
	return result.Output.Value.AllocationCid
}

func noMeta() map[string]any { return map[string]any{"values": map[string]any{}} }
