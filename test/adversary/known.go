package adversary

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	// maxContracts and maxNames bound what the adversary remembers of each kind; the oldest are forgotten first.
	maxContracts = 600
	maxNames     = 200
)

// contract is an active contract that the adversary knows of, perhaps one of somebody else.
type contract struct {
	id, templateID, blob string
	// theirs is set where the adversary was told the id and has no right to see the contract.
	theirs bool
}

// knowledge is what the adversary knows of the node: what everybody may know, what it was answered, and names and ids of
// others, as if they had come to its knowledge.
type knowledge struct {
	dso, operator, synchronizer, member, participant string
	// own are the parties that the adversary may act as, bystanders those of others.
	own, bystanders []string
	users           []string
	contracts       []contract
	tracking        []string
	updates         []string
	keys            []string // Idempotency-Keys of others
	// party is the party of each bystander by its name, prepared a transaction of carol's, and seen the network.
	party      map[string]string
	prepared   string
	seen       network
	round      int64
	offset     int64
	ledgerTime time.Time
}

// others are parties of somebody else.
func (k *knowledge) others() []string { return append([]string{k.dso, k.operator}, k.bystanders...) }

func (k *knowledge) parties() []string { return append(k.others(), k.own...) }

func (k *knowledge) trackingIDs() []string {
	return append([]string{"mine-1", "mine-2"}, k.tracking...)
}

// contractsFor are the contracts that a field of a contract's type, such as "openMiningRound" or "amuletCid", may name.
func (k *knowledge) contractsFor(field string) (found []contract) {
	wanted := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(field, "s"), "Cid"))
	switch {
	case strings.HasSuffix(wanted, "openround"), strings.HasSuffix(wanted, "openmininground"):
		wanted = "openmininground"
	case strings.HasSuffix(wanted, "amulet"), strings.Contains(wanted, "holding"):
		wanted = "amulet"
	}
	for _, known := range k.contracts {
		name := strings.ToLower(entity(known.templateID))
		if name == wanted || len(wanted) > 4 && strings.Contains(name, wanted) {
			found = append(found, known)
		}
	}
	return found
}

// of are the contracts of a template.
func (k *knowledge) of(name string) (found []contract) {
	for _, known := range k.contracts {
		if entity(known.templateID) == name {
			found = append(found, known)
		}
	}
	return found
}

// disclosed are the network's contracts as everybody may disclose them.
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

// learn remembers a contract; one that is known gets what was not known of it.
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

// forget drops a contract that is gone.
func (k *knowledge) forget(id string) {
	k.contracts = slices.DeleteFunc(k.contracts, func(c contract) bool { return c.id == id && c.blob == "" })
}

// remember adds a name to a list that stays short.
func remember(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	list = append(list, name)
	return list[max(0, len(list)-maxNames):]
}

// read learns from an answer.
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
