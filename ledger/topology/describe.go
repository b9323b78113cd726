package topology

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/signing"
)

// Describe shows transactions to the person who signs them: the hash over all of them, and the content of each. All of
// it comes from their bytes.
func Describe(transactions ...Transaction) string {
	var out strings.Builder
	hashes := make([]Hash, len(transactions))
	for i, transaction := range transactions {
		hashes[i] = transaction.Hash
	}
	all := MultiHash(hashes...)
	fmt.Fprintf(&out, "Hash to sign, over all transactions (%d)\n  hexadecimal  %s\n  base64       %s\n",
		len(transactions), all, base64.StdEncoding.EncodeToString(all[:]))
	for _, transaction := range transactions {
		fmt.Fprintf(&out, "\n%s, version %d\n", transaction.Mapping.Kind(), transaction.Serial)
		if transaction.Remove {
			out.WriteString("  is removed\n")
		}
		for _, line := range describe(transaction.Mapping) {
			out.WriteString("  " + line + "\n")
		}
		fmt.Fprintf(&out, "  hash %s\n", transaction.Hash)
	}
	return out.String()
}

func describe(mapping Mapping) []string {
	switch mapping := mapping.(type) {
	case NamespaceDelegation:
		may := "everything but further delegations"
		if mapping.AllMappings {
			may = "everything"
		}
		return append([]string{"namespace " + mapping.Namespace, "its key signs " + may + " in it:"},
			keyLine(mapping.Target))
	case DecentralizedNamespace:
		lines := []string{
			"namespace " + mapping.Namespace,
			fmt.Sprintf("controlled by %d owners; %d of them act for all:", len(mapping.Owners), mapping.Threshold),
		}
		for _, owner := range mapping.Owners {
			lines = append(lines, "  "+owner)
		}
		return lines
	case PartyToParticipant:
		lines := []string{"party " + string(mapping.Party)}
		for _, host := range mapping.Hosts {
			does := map[Permission]string{
				Submission: "submits for it", Confirmation: "confirms for it", Observation: "observes for it",
			}
			lines = append(lines, fmt.Sprintf("  is hosted by %s, which %s", host.Participant, does[host.Permission]))
		}
		lines = append(lines, fmt.Sprintf("  confirmations needed: %d", mapping.Threshold))
		return append(lines, keyLines(mapping.Keys, mapping.KeyThreshold)...)
	case PartyToKey:
		return append([]string{"party " + string(mapping.Party)}, keyLines(mapping.Keys, mapping.Threshold)...)
	default:
		return []string{"the content is not shown here: do not sign what you cannot read"}
	}
}

func keyLines(keys []signing.Key, threshold int) []string {
	if len(keys) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("  signs with %d of these keys:", threshold)}
	for _, key := range keys {
		lines = append(lines, "  "+keyLine(key))
	}
	return lines
}

func keyLine(key signing.Key) string {
	usages := "everything"
	if len(key.Usages) > 0 {
		names := make([]string, len(key.Usages))
		for i, usage := range key.Usages {
			names[i] = usage.String()
		}
		usages = strings.Join(names, ", ")
	}
	spec := strings.TrimPrefix(string(key.Public.Spec()), "SIGNING_KEY_SPEC_EC_")
	return fmt.Sprintf("  %s (%s; for %s)", key.Public.Fingerprint(), spec, usages)
}
