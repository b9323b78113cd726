package temporal

import (
	"fmt"
	"io"

	"go.temporal.io/server/common/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logs is the server's log. While the server starts, its services complain about one another's absence, and while it
// stops, about being stopped; then only worse things count.
type logs struct {
	logger log.Logger
	level  zap.AtomicLevel
	wanted zapcore.Level
}

func newLogs(level string, to io.Writer) (*logs, error) {
	wanted, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	l := &logs{level: zap.NewAtomicLevelAt(wanted), wanted: wanted}
	l.hush(zapcore.ErrorLevel)
	encoder := zapcore.NewConsoleEncoder(log.DefaultZapEncoderConfig)
	l.logger = log.NewZapLogger(zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(to)), l.level)))
	return l, nil
}

// settle logs what was asked for.
func (l *logs) settle() { l.level.SetLevel(l.wanted) }

// hush keeps back what is less than the level, unless more than warnings was asked for.
func (l *logs) hush(least zapcore.Level) {
	if l.wanted >= zapcore.WarnLevel {
		l.level.SetLevel(least)
	}
}
