package ledgerapi_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

var (
	benchStreams = flag.Int("streams", 5000, "how many streams BenchmarkStreams_Idle opens")
	benchCalls   = flag.Int("calls", 0, "how many streams a gRPC connection has; 0 for a WebSocket each")
	benchPeriod  = flag.Duration("period", time.Minute, "how long each part of BenchmarkStreams_Idle takes")
)

// The clients of BenchmarkStreams_Idle are a separate process, so that the benchmark does not measure them: this
// program with these variables in its environment.
const (
	clientsURL   = "FLORIN_BENCH_CLIENTS_URL"
	clientsToken = "FLORIN_BENCH_CLIENTS_TOKEN"
	clientsParty = "FLORIN_BENCH_CLIENTS_PARTY"
	clientsCount = "FLORIN_BENCH_CLIENTS_COUNT"
	clientsCalls = "FLORIN_BENCH_CLIENTS_CALLS"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(clientsURL); url != "" {
		if err := beClients(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beClients opens streams, reports when each has its first frame, and reads until its input ends.
func beClients(url string) error {
	count, err := strconv.Atoi(os.Getenv(clientsCount))
	if err != nil {
		return err
	}
	perConnection, err := strconv.Atoi(os.Getenv(clientsCalls))
	if err != nil {
		return err
	}
	var frames atomic.Int64
	var conn *grpc.ClientConn
	for i := range count {
		var read func() error
		if perConnection == 0 {
			read, err = openSocket(url)
		} else {
			if i%perConnection == 0 {
				conn, err = grpc.NewClient(url, grpc.WithTransportCredentials(insecure.NewCredentials()))
			}
			if err == nil {
				read, err = openCall(conn)
			}
		}
		if err != nil {
			return err
		}
		go func() {
			for read() == nil {
				frames.Add(1)
			}
		}()
	}
	for frames.Load() < int64(count) {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	fmt.Fprintf(os.Stderr, "the clients got %d frames\n", frames.Load())
	return err
}

// openSocket opens a stream of completions; read reads an element.
func openSocket(url string) (read func() error, err error) {
	conn, _, err := websocket.Dial(context.Background(), url+completionsPath, &websocket.DialOptions{
		Subprotocols: []string{"daml.ws.auth", "jwt.token." + os.Getenv(clientsToken)},
	})
	if err != nil {
		return nil, err
	}
	ask := fmt.Appendf(nil, `{"parties":[%q]}`, os.Getenv(clientsParty))
	read = func() error {
		_, _, err := conn.Read(context.Background())
		return err
	}
	return read, conn.Write(context.Background(), websocket.MessageText, ask)
}

// openCall is openSocket over gRPC.
func openCall(conn *grpc.ClientConn) (read func() error, err error) {
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+os.Getenv(clientsToken))
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true},
		"/com.daml.ledger.api.v2.CommandCompletionService/CompletionStream")
	if err != nil {
		return nil, err
	}
	read = func() error { return stream.RecvMsg(&ledgerpb.CompletionStreamResponse{}) }
	return read, errors.Join(
		stream.SendMsg(&ledgerpb.CompletionStreamRequest{Parties: []string{os.Getenv(clientsParty)}}), stream.CloseSend())
}

// BenchmarkStreams_Idle measures the cost of streams of an inactive party: memory, goroutines, and CPU of the server's
// process, without writes and while others write. The clients are in another process.
//
//	go test ./api/ledgerapi -run '^$' -bench Streams_Idle -benchtime 1x -streams 5000
func BenchmarkStreams_Idle(b *testing.B) {
	s := apitest.New(b, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("alice", alice)
	s.ActingAs("bob", bob)
	write := func(id string) {
		s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", noteOf(alice, id)).OK(nil)
	}
	write("first")
	url := s.URL()
	if *benchCalls > 0 {
		url = s.Calls().Target()
	}
	for b.Loop() {
		alone := cpuOver(b, *benchPeriod, write)
		before := usage()
		stop := startClients(b, s, url, bob)
		after := usage()
		perStream := func(bytes uint64) float64 { return float64(bytes) / float64(*benchStreams) }
		b.ReportMetric(perStream(after.heap-before.heap), "heap-B/stream")
		b.ReportMetric(perStream(after.stacks-before.stacks), "stack-B/stream")
		b.ReportMetric(perStream(after.resident-before.resident), "resident-B/stream")
		b.ReportMetric(float64(after.goroutines-before.goroutines)/float64(*benchStreams), "goroutines/stream")
		b.ReportMetric(cpuOver(b, *benchPeriod, nil)*1000, "quiet-cpu-ms/s")
		b.ReportMetric(alone*1000, "writing-alone-cpu-ms/s")
		b.ReportMetric(cpuOver(b, *benchPeriod, write)*1000, "writing-with-streams-cpu-ms/s")
		require.Equal(b, *benchStreams, s.Streams.Open())
		stop()
	}
}

// noteOf is the command to create a note of a party.
func noteOf(owner ledger.Party, id string) fields {
	return fields{"commandId": id, "actAs": []ledger.Party{owner}, "commands": []fields{{"CreateCommand": fields{
		"templateId":      apitest.NoteTemplate,
		"createArguments": fields{"owner": owner, "readers": []string{}, "label": id, "amount": "1"},
	}}}}
}

// startClients returns when all streams are open and have their first frame.
func startClients(b *testing.B, s *apitest.Server, url string, party ledger.Party) (stop func()) {
	b.Helper()
	clients := exec.CommandContext(b.Context(), os.Args[0])
	clients.Env = append(os.Environ(), clientsURL+"="+url, clientsToken+"="+apitest.Token(b, "bob"),
		clientsCount+"="+strconv.Itoa(*benchStreams), clientsCalls+"="+strconv.Itoa(*benchCalls),
		clientsParty+"="+string(party))
	clients.Stderr = os.Stderr
	input, err := clients.StdinPipe()
	require.NoError(b, err)
	output, err := clients.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, clients.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(b, err)
	require.Equal(b, "ready\n", line)
	return func() {
		require.NoError(b, input.Close())
		require.NoError(b, clients.Wait())
		require.Eventually(b, func() bool { return s.Streams.Open() == 0 }, apitest.Patience, time.Millisecond)
	}
}

// cpuOver is the CPU time of this process in a period, in seconds per second. It calls a function, if given, twenty
// times a second.
func cpuOver(b *testing.B, period time.Duration, write func(id string)) float64 {
	b.Helper()
	began, used := time.Now(), cpuTime(b)
	ticks := time.NewTicker(time.Second / 20)
	defer ticks.Stop()
	for i := 0; time.Since(began) < period; i++ {
		<-ticks.C
		if write != nil {
			write(fmt.Sprintf("%d-%d", began.UnixNano(), i))
		}
	}
	return (cpuTime(b) - used).Seconds() / time.Since(began).Seconds()
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

type memory struct {
	heap, stacks, resident uint64
	goroutines             int
}

// usage is the memory of the process after a collection: heap and stacks in use, and the resident size.
func usage() memory {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	out := memory{heap: stats.HeapAlloc, stacks: stats.StackInuse, goroutines: runtime.NumGoroutine()}
	status, _ := os.ReadFile("/proc/self/statm") // only on Linux
	if parts := strings.Fields(string(status)); len(parts) > 1 {
		pages, _ := strconv.ParseUint(parts[1], 10, 64)
		out.resident = pages * uint64(os.Getpagesize())
	}
	return out
}

// BenchmarkStreams_Following measures the delay of streams of updates: the time from just before a commit to the
// arrival of its last update, for several numbers of streams that read everything. The writer appends batches of 20
// updates to the record at a fixed rate, like commits under load.
//
//	go test ./api/ledgerapi -run '^$' -bench Following -benchtime 1x
func BenchmarkStreams_Following(b *testing.B) {
	for _, size := range []struct{ streams, rate int }{{1, 1000}, {10, 1000}, {50, 200}, {200, 50}} {
		b.Run(fmt.Sprintf("%d streams at %d a second", size.streams, size.rate), func(b *testing.B) {
			measureFollowing(b, size.streams, size.rate)
		})
	}
}

func measureFollowing(b *testing.B, streams, rate int) {
	b.Helper()
	const batch, seconds = 20, 10
	s := apitest.New(b, apitest.Options{Settings: ledgerapi.Settings{CheckpointInterval: time.Hour}})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", noteOf(alice, "first")).OK(nil)
	for b.Loop() {
		head, err := s.DB.Head(b.Context())
		require.NoError(b, err)
		last := int64(head.Offset) + int64(rate*seconds)
		var mu sync.Mutex
		written := map[int64]time.Time{}
		var lags []time.Duration
		var reading sync.WaitGroup
		for range streams {
			stream := s.Open("alice", updatesPath, fields{"filter": byParty(alice), "beginExclusive": head.Offset})
			reading.Go(func() {
				for offset := int64(0); offset < last; {
					frame := string(stream.Next())
					now := time.Now()
					if strings.Contains(frame, "OffsetCheckpoint") {
						continue
					}
					offset = offsetIn(frame)
					mu.Lock()
					if began, ok := written[offset]; ok {
						lags = append(lags, now.Sub(began))
					}
					mu.Unlock()
				}
			})
		}
		ticks := time.NewTicker(time.Second * batch / time.Duration(rate))
		for upTo := int64(head.Offset) + batch; upTo <= last; upTo += batch {
			<-ticks.C
			mu.Lock()
			written[upTo] = time.Now()
			mu.Unlock()
			multiply(b, s.DB, ledger.Offset(upTo), "first")
		}
		ticks.Stop()
		reading.Wait()
		arrived := len(lags)
		require.Equal(b, streams*rate*seconds/batch, arrived, "every stream gets every update")
		slices.Sort(lags)
		b.ReportMetric(float64(lags[len(lags)/2].Microseconds())/1000, "median-ms")
		b.ReportMetric(float64(lags[len(lags)*99/100].Microseconds())/1000, "p99-ms")
	}
}

// offsetIn is the offset of the transaction in a frame.
func offsetIn(frame string) int64 {
	_, after, _ := strings.Cut(frame, `"offset":`)
	digits, _, _ := strings.Cut(after, ",")
	offset, _ := strconv.ParseInt(digits, 10, 64)
	return offset
}
