package temporal

import (
	"fmt"
	"io"

	"go.temporal.io/server/common/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logs is the server's log. During the start, services complain about missing others, and during the stop about the
// stop; then it drops warnings.
type logs struct {
	logger     log.Logger
	level      zap.AtomicLevel
	configured zapcore.Level
}

func newLogs(level string, to io.Writer) (*logs, error) {
	configured, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	l := &logs{level: zap.NewAtomicLevelAt(configured), configured: configured}
	l.hush(zapcore.ErrorLevel)
	encoder := zapcore.NewConsoleEncoder(log.DefaultZapEncoderConfig)
	l.logger = log.NewZapLogger(zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(to)), l.level)))
	return l, nil
}

// settle restores the configured level.
func (l *logs) settle() { l.level.SetLevel(l.configured) }

// hush drops lines below the level, unless the configuration asks for more than warnings.
func (l *logs) hush(least zapcore.Level) {
	if l.configured >= zapcore.WarnLevel {
		l.level.SetLevel(least)
	}
}
