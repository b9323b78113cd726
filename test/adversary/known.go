package adversary

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	// maxContracts and maxNames limit the adversary's memory of each kind; it forgets the oldest first.
	maxContracts = 600
	maxNames     = 200
)

// contract is an active contract that the adversary knows, perhaps of another user.
type contract struct {
	id, templateID, blob string
	// theirs: the adversary knows the id but must not see the contract.
	theirs bool
}

// knowledge is the adversary's knowledge of the node: public data, answers that it got, and names and ids of others, as
// if somebody had told it.
type knowledge struct {
	dso, operator, synchronizer, member, participant string
	// own are the parties of the adversary, bystanders those of others.
	own, bystanders []string
	users           []string
	contracts       []contract
	tracking        []string
	updates         []string
	keys            []string // Idempotency-Keys of others
	// party has the party of each bystander by name, prepared is a transaction of carol, seen the network.
	party      map[string]string
	prepared   string
	seen       network
	round      int64
	offset     int64
	ledgerTime time.Time
}

func (k *knowledge) others() []string { return append([]string{k.dso, k.operator}, k.bystanders...) }

func (k *knowledge) parties() []string { return append(k.others(), k.own...) }

func (k *knowledge) trackingIDs() []string {
	return append([]string{"mine-1", "mine-2"}, k.tracking...)
}

// findCandidates finds contracts for a field with a contract id, such as "openMiningRound" or "amuletCid".
func (k *knowledge) findCandidates(field string) (found []contract) {
	kind := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(field, "s"), "Cid"))
	switch {
	case strings.HasSuffix(kind, "openround"), strings.HasSuffix(kind, "openmininground"):
		kind = "openmininground"
	case strings.HasSuffix(kind, "amulet"), strings.Contains(kind, "holding"):
		kind = "amulet"
	}
	for _, known := range k.contracts {
		name := strings.ToLower(entity(known.templateID))
		if name == kind || len(kind) > 4 && strings.Contains(name, kind) {
			found = append(found, known)
		}
	}
	return found
}

func (k *knowledge) of(name string) (found []contract) {
	for _, known := range k.contracts {
		if entity(known.templateID) == name {
			found = append(found, known)
		}
	}
	return found
}

// disclosed are the network's contracts as disclosed contracts.
func (k *knowledge) disclosed() []any {
	list := []any{}
	for _, known := range k.contracts {
		if known.blob != "" && len(list) < 20 {
			list = append(list, object{
				"contractId": known.id, "templateId": known.templateID, "createdEventBlob": known.blob,
				"synchronizerId": k.synchronizer,
			})
		}
	}
	return list
}

// learn adds a contract, or adds missing parts of a known one.
func (k *knowledge) learn(c contract) {
	if c.id == "" || c.templateID == "" {
		return
	}
	if at := slices.IndexFunc(k.contracts, func(other contract) bool { return other.id == c.id }); at >= 0 {
		if c.blob != "" {
			k.contracts[at].blob = c.blob
		}
		return
	}
	k.contracts = append(k.contracts, c)
	if len(k.contracts) <= maxContracts {
		return
	}
	oldest := slices.IndexFunc(k.contracts, func(c contract) bool { return c.blob == "" })
	k.contracts = slices.Delete(k.contracts, max(oldest, 0), max(oldest, 0)+1)
}

func (k *knowledge) forget(id string) {
	k.contracts = slices.DeleteFunc(k.contracts, func(c contract) bool { return c.id == id && c.blob == "" })
}

// remember adds a name to a list and limits its length.
func remember(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	list = append(list, name)
	return list[max(0, len(list)-maxNames):]
}

// read stores the known values of an answer.
func (k *knowledge) read(body []byte) {
	var value any
	if json.Unmarshal(body, &value) == nil {
		k.readValue(value)
	}
}

func (k *knowledge) readValue(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			k.readValue(element)
		}
	case map[string]any:
		text := func(names ...string) string {
			for _, name := range names {
				if found, ok := value[name].(string); ok {
					return found
				}
			}
			return ""
		}
		if _, archived := value["ArchivedEvent"]; !archived {
			k.learn(contract{
				id: text("contractId", "contract_id"), templateID: text("templateId", "template_id"),
				blob: text("createdEventBlob", "created_event_blob"),
			})
		}
		k.updates = remember(k.updates, text("updateId"))
		for name, element := range value {
			if name != "ArchivedEvent" {
				k.readValue(element)
			}
		}
	}
}
