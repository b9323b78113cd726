// Package token has the interfaces of the token standard (CIP-0056), with which wallets use any token. The packages
// splice-api-token-… define them: records, views and choices, without implementations.
//
// The package is pure.
package token
