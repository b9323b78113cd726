package tracing_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"

	"github.com/florinledger/florin/telemetry/tracing"
)

func TestQuiet_OmitsErrorTexts(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	_, span := tracer.Provider().Tracer(tracing.Scope).Start(t.Context(), "RunActivity")
	quiet := tracing.Quiet(span)
	quiet.RecordError(errors.New("amount 77.0 is more than 5.0"))
	quiet.SetStatus(codes.Error, "amount 77.0 is more than 5.0")
	quiet.End()
	ended := named(t, spans, "RunActivity")
	require.Empty(t, ended.Events())
	require.Equal(t, codes.Error, ended.Status().Code)
	require.Empty(t, ended.Status().Description)
}
