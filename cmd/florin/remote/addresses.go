package remote

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/devnet/runfile"
)

// Addresses are the places of a node. An empty one does not exist.
type Addresses struct {
	Wallet     string `json:"wallet"`
	Explorer   string `json:"explorer"`
	Admin      string `json:"admin"`
	URL        string `json:"url"`
	APIPage    string `json:"api_page"`
	GRPC       string `json:"grpc"`
	TemporalUI string `json:"temporal_ui"`
	Temporal   string `json:"temporal"`
}

// AddressesOf are the places of a running node.
func AddressesOf(info runfile.Info) Addresses {
	places := Addresses{
		URL: info.URL, APIPage: info.URL + "/docs", GRPC: info.GRPCAddress, TemporalUI: info.TemporalUI,
		Temporal: info.TemporalAddress,
	}
	if info.Page {
		places.Wallet, places.Explorer, places.Admin = info.URL+"/wallet", info.URL+"/explorer", info.URL+"/admin"
	}
	return places
}

// address is a place with its name for people, and its environment variable.
type address struct{ name, variable, value string }

// list has the addresses in the order in which every command shows them.
func (a Addresses) list() []address {
	var known []address
	for _, place := range []address{
		{"Wallet", "FLORIN_WALLET_URL", a.Wallet},
		{"Explorer", "FLORIN_EXPLORER_URL", a.Explorer},
		{"Admin", "FLORIN_ADMIN_URL", a.Admin},
		{"API", "FLORIN_URL", a.URL},
		{"API page", "FLORIN_API_PAGE_URL", a.APIPage},
		{"gRPC", "FLORIN_GRPC_ADDRESS", a.GRPC},
		{"Temporal UI", "FLORIN_TEMPORAL_UI", a.TemporalUI},
		{"Temporal", "TEMPORAL_ADDRESS", a.Temporal},
	} {
		if place.value != "" {
			known = append(known, place)
		}
	}
	return known
}

// Lines are the addresses for people, one a line.
func (a Addresses) Lines() string {
	var lines strings.Builder
	for _, place := range a.list() {
		fmt.Fprintf(&lines, "  %-13s %s\n", place.name, place.value)
	}
	return lines.String()
}
