// Package otlpmetricgrpc replaces the export of metrics by OTLP, which Temporal's server has. Florin reads no metrics of
// it.
package otlpmetricgrpc

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"google.golang.org/grpc"
)

var errLeftOut = errors.New("this build of Florin exports no metrics of Temporal's server: run your own Temporal " +
	"server for that")

type Option struct{}

type RetryConfig struct {
	Enabled                                      bool
	InitialInterval, MaxInterval, MaxElapsedTime time.Duration
}

func New(context.Context, ...Option) (metric.Exporter, error) { return nil, errLeftOut }

func WithDialOption(...grpc.DialOption) Option { return Option{} }

func WithEndpoint(string) Option { return Option{} }

func WithGRPCConn(*grpc.ClientConn) Option { return Option{} }

func WithHeaders(map[string]string) Option { return Option{} }

func WithInsecure() Option { return Option{} }

func WithRetry(RetryConfig) Option { return Option{} }

func WithTimeout(time.Duration) Option { return Option{} }
