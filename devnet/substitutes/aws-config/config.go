// Package config stands in for the loader of the AWS SDK's configuration, which Temporal's server asks for when it
// archives to S3 or signs requests to Elasticsearch. Florin runs it with neither, so loading is refused.
package config

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var errLeftOut = errors.New("this build of Florin has no AWS configuration: its Temporal neither archives to S3 nor " +
	"signs requests to Elasticsearch; run a Temporal server of your own for that")

// LoadOptions are what can be asked for.
type LoadOptions struct{}

// LoadDefaultConfig refuses.
func LoadDefaultConfig(context.Context, ...func(*LoadOptions) error) (aws.Config, error) {
	return aws.Config{}, errLeftOut
}

// WithRegion asks for a region.
func WithRegion(string) func(*LoadOptions) error { return func(*LoadOptions) error { return nil } }

// WithClientLogMode asks for a log.
func WithClientLogMode(aws.ClientLogMode) func(*LoadOptions) error {
	return func(*LoadOptions) error { return nil }
}

// EnvConfig is what the environment says.
type EnvConfig struct {
	Credentials aws.Credentials
}

// NewEnvConfig refuses.
func NewEnvConfig() (EnvConfig, error) { return EnvConfig{}, errLeftOut }
