// Package idps serves the identity providers of accepted tokens: /v2/idps.
package idps

// API serves identity providers.
type API struct {
	record ProviderStore
}

// New makes the API.
func New(record ProviderStore) *API { return &API{record: record} }
