package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

// The states that systemd's protocol knows (sd_notify).
const (
	stateReady    = "READY=1"
	stateStopping = "STOPPING=1"
	stateAlive    = "WATCHDOG=1"
)

// notifySystemd tells the service manager a state, if it asked for states. An error changes nothing.
func notifySystemd(ctx context.Context, state string) {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return
	}
	if strings.HasPrefix(address, "@") { // an abstract socket
		address = "\x00" + address[1:]
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "unixgram", address)
	if err != nil {
		return
	}
	defer connection.Close()
	_, _ = connection.Write([]byte(state))
}

// keepAlive tells the service manager twice in each watchdog interval that the process is alive, until ctx ends.
func keepAlive(ctx context.Context) {
	micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if pid := os.Getenv("WATCHDOG_PID"); err != nil || micros <= 0 || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return
	}
	every := time.Duration(micros) * time.Microsecond / 2
	for wait.For(ctx, every) == nil {
		notifySystemd(ctx, stateAlive)
	}
}
