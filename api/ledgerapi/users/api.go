// Package users serves the users of the node and their rights: /v2/users and /v2/authenticated-user.
package users

// API serves users.
type API struct {
	record UserStore
}

// New makes the API.
func New(record UserStore) *API { return &API{record: record} }
