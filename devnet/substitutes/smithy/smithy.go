// Package smithy replaces the base of the AWS SDK. No call returns an error of its kind.
package smithy

type APIError interface {
	error
	ErrorCode() string
}
