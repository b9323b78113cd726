package api_test

// walletBodies are the bodies of requests about wallets, by method and path pattern.
var walletBodies = map[string]object{
	"PUT /v0/admin/automation/{kind}/paused": {"paused": true},
	"POST /v0/wallet/transactions":           {"page_size": 1},
	"POST /v0/wallet/buy-traffic-requests": {
		"receiving_validator_party_id": "a::b", "domain_id": "a::b", "traffic_amount": 1, "tracking_id": "t", "expires_at": 1,
	},
	"POST /v0/entry/create":                    {"name": "a", "url": "", "description": ""},
	"POST /v0/wallet/tap":                      {"amount": "1"},
	"POST /v0/wallet/transfer-offers/accept":   {"contract_id": "00"},
	"POST /v0/wallet/transfer-offers/reject":   {"contract_id": "00"},
	"POST /v0/wallet/transfer-offers/withdraw": {"contract_id": "00"},
	"POST /v0/wallet/transfer-offers":          transferBody(),
	"POST /v0/wallet/transfer-preapproval/send": {
		"receiver_party_id": "bob::1220ab", "amount": "1", "deduplication_id": "one",
	},
	"POST /v0/wallet/token-standard/transfers": transferBody(),
	"POST /v0/allocations": {
		"settlement": object{
			"executor": "bob::1220ab", "settlement_ref": object{"id": "one"}, "requested_at": 0, "allocate_before": 0,
			"settle_before": 0,
		},
		"transfer_leg_id": "leg", "transfer_leg": object{"receiver": "bob::1220ab", "amount": "1"},
	},
	"POST /v0/wallet/development-fund-coupons/allocate": {
		"beneficiary": "bob::1220ab", "amount": "1", "expiresAt": 0, "reason": "work",
	},
	"POST /v0/wallet/development-fund-coupons/{contract_id}/withdraw": {"reason": "work"},
}

func transferBody() object {
	return object{
		"receiver_party_id": "bob::1220ab", "amount": "1", "description": "", "expires_at": 0, "tracking_id": "one",
	}
}
