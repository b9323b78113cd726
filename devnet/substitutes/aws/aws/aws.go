// Package aws replaces the base of the AWS SDK, which Temporal's server needs to archive to S3 and to sign requests to
// Elasticsearch. Florin's Temporal does neither.
package aws

import "context"

type ClientLogMode uint64

type Config struct {
	Credentials CredentialsProvider
}

type Credentials struct {
	AccessKeyID, SecretAccessKey, SessionToken string
}

type CredentialsProvider interface {
	Retrieve(ctx context.Context) (Credentials, error)
}

type Retryer interface {
	IsErrorRetryable(err error) bool
}

func Int32(v int32) *int32 { return &v }

func String(v string) *string { return &v }
