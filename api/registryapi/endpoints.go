package registryapi

import (
	"net/http"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags of operations in the API document.
const (
	tagScanProxy = "Scan proxy"
	tagScan      = "Scan"
	tagRegistry  = "Token standard registry"
	tagValidator = "Validator"
)

// The paths of the endpoint families.
const (
	proxyPath = "/v0/scan-proxy"
	scanPath  = "/api/scan/v0"
	// registryPath is the registry's path, on the host of scan and below the proxy.
	registryPath = "/registry"
)

// Scan lists the endpoints of scan, which need no token.
func (a *API) Scan() []endpoint.Endpoint {
	m := mount{path: scanPath, prefix: "scan", tag: tagScan, access: endpoint.Open}
	own := []endpoint.Endpoint{
		endpoint.New(m.post("/amulet-rules", "getAmuletRules", "Get the AmuletRules contract."),
			a.scanAmuletRules),
		endpoint.New(m.post("/external-party-amulet-rules", "getExternalPartyAmuletRules",
			"Get the ExternalPartyAmuletRules contract."), a.scanExternalPartyRules),
		endpoint.New(m.post("/open-and-issuing-mining-rounds", "getOpenAndIssuingMiningRounds",
			"Get the open and issuing rounds by contract id, oldest first."), a.scanRounds),
		endpoint.New(m.get("/featured-apps", "listFeaturedAppRights", "List the rights of all featured apps."),
			a.featuredApps),
		endpoint.New(m.get("/splice-instance-names", "getSpliceInstanceNames", "Get the names of network and coin."),
			a.instanceNames),
		endpoint.New(m.get("/domains/{domain_id}/members/{member_id}/traffic-status", "getMemberTrafficStatus",
			"Get the extra traffic of a member."), a.trafficStatus),
		a.holdingsV1(mount{path: "/api/scan/v1", prefix: "scanV1", tag: tagScan, access: m.access}),
	}
	own = append(own, a.registry(mount{path: registryPath, prefix: "registry", tag: tagRegistry, access: m.access})...)
	return append(own, a.shared(m)...)
}

// registry lists the endpoints of the token standard's registry.
func (a *API) registry(m mount) []endpoint.Endpoint {
	const (
		instruction = "/transfer-instruction/v1/{transferInstructionId}/choice-contexts"
		allocation  = "/allocations/v1/{allocationId}/choice-contexts"
	)
	return []endpoint.Endpoint{
		endpoint.New(m.get("/metadata/v1/info", "getRegistryInfo", "Get the administrator and the APIs."), a.registryInfo),
		endpoint.New(m.get("/metadata/v1/instruments", "listInstruments", "List the instruments."), a.instruments),
		endpoint.New(m.get("/metadata/v1/instruments/{instrumentId}", "getInstrument", "Get an instrument."),
			a.instrumentByID),
		endpoint.New(m.post("/transfer-instruction/v1/transfer-factory", "getTransferFactory",
			"Get the factory and choice context to transfer coin."), a.transferFactory),
		endpoint.New(m.post(instruction+"/accept", "getTransferInstructionAcceptContext",
			"Get the choice context to accept a transfer."), a.acceptContext),
		endpoint.New(m.post(instruction+"/reject", "getTransferInstructionRejectContext",
			"Get the choice context to reject a transfer."), a.releaseContext),
		endpoint.New(m.post(instruction+"/withdraw", "getTransferInstructionWithdrawContext",
			"Get the choice context to withdraw a transfer."), a.releaseContext),
		endpoint.New(m.post("/allocation-instruction/v1/allocation-factory", "getAllocationFactory",
			"Get the factory and choice context to allocate coin for a settlement."), a.allocationFactory),
		endpoint.New(m.post(allocation+"/execute-transfer", "getAllocationTransferContext",
			"Get the choice context to settle an allocation."), a.executeContext),
		endpoint.New(m.post(allocation+"/withdraw", "getAllocationWithdrawContext",
			"Get the choice context to withdraw an allocation."), a.releaseAllocationContext),
		endpoint.New(m.post(allocation+"/cancel", "getAllocationCancelContext",
			"Get the choice context to cancel an allocation."), a.releaseAllocationContext),
	}
}

// ScanProxy lists the endpoints that the validator forwards to scan, for everybody with a token.
func (a *API) ScanProxy() []endpoint.Endpoint {
	m := mount{path: proxyPath, prefix: "proxy", tag: tagScanProxy, access: endpoint.Public}
	own := []endpoint.Endpoint{
		endpoint.New(m.get("/amulet-rules", "getAmuletRules", "Get the AmuletRules contract."),
			a.amuletRules),
		endpoint.New(m.get("/open-and-issuing-mining-rounds", "getOpenAndIssuingMiningRounds",
			"Get the open and issuing rounds, oldest first."), a.miningRounds),
		endpoint.New(m.get("/external-party-config-states", "listExternalPartyConfigStates",
			"List the configuration states for transfers of external parties."), a.configStates),
	}
	own = append(own, a.registry(mount{
		path: proxyPath + registryPath, prefix: "proxyRegistry", tag: tagRegistry, access: m.access,
	})...)
	v1 := m
	v1.path, v1.prefix = "/v1/scan-proxy", "proxyV1"
	own = append(own, a.holdingsV1(v1))
	return append(own, a.shared(m)...)
}

// holdingsV1 is the holdings summary in version 1 of scan.
func (a *API) holdingsV1(m mount) endpoint.Endpoint {
	return endpoint.New(m.post("/holdings/summary", "getHoldingsSummary", "Get the total holdings of parties at a time."),
		a.holdingsSummaryV1)
}

// Validator lists the validator's endpoints that need no token.
func (a *API) Validator() []endpoint.Endpoint {
	m := mount{path: "/v0", prefix: "validator", tag: tagValidator, access: endpoint.Open}
	root := mount{prefix: "validator", tag: tagValidator, access: endpoint.Open}
	return []endpoint.Endpoint{
		endpoint.New(m.get("/validator-user", "getValidatorUserInfo", "Get the operator of the node."), a.validatorUser),
		endpoint.New(root.get("/version", "getVersion", "Get the Splice release of the API."), a.version),
	}
}

// shared lists the endpoints that scan and its proxy have in common.
func (a *API) shared(m mount) []endpoint.Endpoint {
	holdings := m.post("/holdings/summary", "getHoldingsSummary", "Get the total holdings of parties at a time.")
	holdings.Deprecated = true
	return []endpoint.Endpoint{
		endpoint.New(m.get("/dso-party-id", "getDsoPartyId", "Get the party of the DSO."), a.dsoPartyID),
		endpoint.New(m.get("/dso", "getDsoInfo", "Get information about the network."), a.dsoInfo),
		endpoint.New(m.get("/featured-apps/{provider_party_id}", "lookupFeaturedAppRight",
			"Get the right of a featured app, or null."), a.featuredApp),
		endpoint.New(m.get("/transfer-preapprovals/by-party/{party}", "lookupTransferPreapprovalByParty",
			"Get the preapproval of a receiver."), a.preapprovalByParty),
		endpoint.New(m.get("/transfer-command-counter/{party}", "lookupTransferCommandCounterByParty",
			"Get the counter of a sender's transfer commands."), a.transferCommandCounter),
		endpoint.New(m.get("/transfer-command/status", "lookupTransferCommandStatus",
			"Get the status of transfer commands of the last 24 hours."), a.transferCommandStatus),
		endpoint.New(m.get("/ans-entries", "listAnsEntries", "List names."), a.ansEntries),
		endpoint.New(m.get("/ans-entries/by-name/{name}", "lookupAnsEntryByName", "Look a name up."), a.ansEntryByName),
		endpoint.New(m.get("/ans-entries/by-party/{party}", "lookupAnsEntryByParty", "Look the name of a party up."),
			a.ansEntryByParty),
		endpoint.New(m.post("/ans-rules", "getAnsRules", "Get the rules of the name service."), a.ansRules),
		endpoint.New(holdings, a.holdingsSummary),
		endpoint.New(m.get("/unclaimed-development-fund-coupons", "listUnclaimedDevelopmentFundCoupons",
			"List the unclaimed development fund coupons."), a.developmentFundCoupons),
	}
}

// mount is the path and the access of a family.
type mount struct {
	path string
	// prefix starts the operation ids, which must be unique in the document.
	prefix, tag string
	access      endpoint.Access
}

func (m mount) get(path, operation, summary string) endpoint.Info {
	return m.info(http.MethodGet, path, operation, summary)
}

func (m mount) post(path, operation, summary string) endpoint.Info {
	info := m.info(http.MethodPost, path, operation, summary)
	info.Reads = true
	return info
}

func (m mount) info(method, path, operation, summary string) endpoint.Info {
	return endpoint.Info{
		Method: method, Path: m.path + path, Summary: summary, Tag: m.tag, Access: m.access,
		OperationID: m.prefix + strings.ToUpper(operation[:1]) + operation[1:],
	}
}
