package operatorapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// LogLevelPath is the path of the log level of the process.
const LogLevelPath = "/v0/admin/log-level"

// LogLevel is the log level of the process that answers.
type LogLevel struct {
	Level string `json:"level" required:"true" doc:"debug, info, warn or error"`
}

type putLogLevelRequest struct {
	Body LogLevel `body:"json"`
}

func (a *API) logLevelEndpoints() []endpoint.Endpoint {
	info := func(method, id, summary, description string) endpoint.Info {
		return endpoint.Info{
			Method: method, Path: LogLevelPath, OperationID: id, Tag: "Operation", Access: endpoint.Admin,
			Summary: summary, Description: description,
		}
	}
	return []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, "getLogLevel", "Get the log level of the process that answers.", ""), a.getLogLevel),
		endpoint.New(info(http.MethodPut, "putLogLevel", "Change the log level of the process that answers.",
			"The level takes effect at once, until the process stops or reads its settings again (SIGHUP). Other processes of "+
				"the ledger keep their level."), a.putLogLevel),
	}
}

func (a *API) getLogLevel(context.Context, endpoint.NoRequest) (LogLevel, error) {
	return toAPILevel(a.options.Level.Level()), nil
}

func (a *API) putLogLevel(ctx context.Context, req putLogLevelRequest) (LogLevel, error) {
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	i := slices.IndexFunc(levels, func(level slog.Level) bool { return toAPILevel(level) == req.Body })
	if i < 0 {
		return LogLevel{}, fault.InvalidArgumentf("level %q is not a log level", req.Body.Level).
			WithHint("Choose debug, info, warn or error.")
	}
	before := toAPILevel(a.options.Level.Level())
	a.options.Level.Set(levels[i])
	a.options.Log.LogAttrs(ctx, max(slog.LevelInfo, levels[i]), "the log level changed", slog.String("from", before.Level),
		slog.String("to", req.Body.Level), slog.String("user_id", endpoint.Claims(ctx).UserID()))
	return req.Body, nil
}

func toAPILevel(level slog.Level) LogLevel { return LogLevel{strings.ToLower(level.String())} }
