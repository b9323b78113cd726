// Package grpcapi serves com.daml.ledger.api.v2, the gRPC Ledger API, as a second encoding of the JSON Ledger API: the
// operations, their rights, limits and errors are those of package ledgerapi.
//
// A method is bound to an endpoint or a stream by its name ([Bindings]). When the node starts, each message is paired
// with the wire type of the endpoint by the names of its fields in JSON (package mapping); what has no partner stops the
// start. That package has all that differs between the encodings by nature.
package grpcapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/grpcapi/mapping"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// Service is the gRPC Ledger API of a node.
type Service struct {
	server      *endpoint.Server
	ledger      *ledgerapi.API
	participant string
	explains    bool
	maxMessage  int
	services    []*grpc.ServiceDesc
}

// Options are the parts of a [Service].
type Options struct {
	// Server admits calls and streams; required.
	Server *endpoint.Server
	// Ledger has the operations; required.
	Ledger *ledgerapi.API
	// MaxMessageBytes limits a request; 0 means the limit of bodies.
	MaxMessageBytes int
	// Clock has the operations of the ledger's clock; none if it is real.
	Clock []endpoint.Endpoint
}

// New binds the methods of the API. The error names a method or a field without a partner.
func New(options Options) (*Service, error) {
	if options.Server == nil || options.Ledger == nil {
		return nil, errors.New("the gRPC API needs a server of endpoints and the ledger API")
	}
	participant, _, _ := strings.Cut(options.Ledger.ParticipantID(), "::")
	s := &Service{
		server: options.Server, ledger: options.Ledger, participant: participant, explains: options.Ledger.Explains(),
		maxMessage: cmp.Or(options.MaxMessageBytes, endpoint.DefaultMaxBodyBytes),
	}
	b := binder{
		service: s, server: options.Server, planner: mapping.NewPlanner(), endpoints: map[string]endpoint.Endpoint{},
		streams: map[string]endpoint.Stream{},
	}
	for _, e := range slices.Concat(options.Ledger.Endpoints(), options.Ledger.GRPCEndpoints(), options.Clock) {
		if _, isOtherPath := b.endpoints[e.OperationID]; !isOtherPath {
			b.endpoints[e.OperationID] = e
		}
	}
	for _, stream := range options.Ledger.Streams() {
		b.streams[stream.OperationID] = stream
	}
	var err error
	protoregistry.GlobalFiles.RangeFilesByPackage(protoreflect.FullName(base[:len(base)-1]), func(file protoreflect.FileDescriptor) bool {
		err = b.file(file)
		return err == nil
	})
	for _, name := range []protoreflect.FullName{"admin", "interactive", "testing"} {
		protoregistry.GlobalFiles.RangeFilesByPackage(base+name, func(file protoreflect.FileDescriptor) bool {
			err = errors.Join(err, b.file(file))
			return err == nil
		})
	}
	if want := len(Bindings) - clockMethods + len(options.Clock); err == nil && b.bound != want {
		err = fmt.Errorf("%d of %d methods are bound", b.bound, want)
	}
	return s, err
}

// Register adds the services to a server.
func (s *Service) Register(to grpc.ServiceRegistrar) {
	for _, service := range s.services {
		to.RegisterService(service, nil)
	}
}

// Names are the full names of the services, in order.
func (s *Service) Names() []string {
	var names []string
	for _, service := range s.services {
		names = append(names, service.ServiceName)
	}
	slices.Sort(names)
	return names
}

// clockService is not served where the clock is real; clockMethods is the number of its methods.
const (
	clockService = base + "testing.TimeService"
	clockMethods = 2
)

// binder binds methods while the node starts.
type binder struct {
	service   *Service
	server    *endpoint.Server
	planner   *mapping.Planner
	endpoints map[string]endpoint.Endpoint
	streams   map[string]endpoint.Stream
	bound     int
}

func (b *binder) file(file protoreflect.FileDescriptor) error {
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		described := &grpc.ServiceDesc{
			ServiceName: string(service.FullName()), HandlerType: (*any)(nil), Metadata: file.Path(),
		}
		for j := range service.Methods().Len() {
			if err := b.method(service.Methods().Get(j), described); err != nil {
				return fmt.Errorf("%s: %w", described.ServiceName, err)
			}
		}
		if len(described.Methods)+len(described.Streams) > 0 {
			b.service.services = append(b.service.services, described)
		}
	}
	return nil
}

// method binds a method; one without a binding is not served.
func (b *binder) method(described protoreflect.MethodDescriptor, into *grpc.ServiceDesc) error {
	bound, ok := Bindings[described.FullName()]
	if !ok || described.Parent().FullName() == clockService && b.endpoints[bound.Operation].OperationID == "" {
		return nil
	}
	b.bound++
	m := &method{
		service: b.service, name: "/" + string(described.Parent().FullName()) + "/" + string(described.Name()),
		verbose: verboseIn(described.Input()), hasCommands: hasCommands(described.Input()),
	}
	var err error
	if m.input, err = protoregistry.GlobalTypes.FindMessageByName(described.Input().FullName()); err != nil {
		return err
	}
	if described.IsStreamingServer() {
		into.Streams = append(into.Streams, grpc.StreamDesc{
			StreamName: string(described.Name()), Handler: m.serveStream, ServerStreams: true,
		})
		return b.stream(m, described, b.streams[bound.Operation])
	}
	into.Methods = append(into.Methods, grpc.MethodDesc{MethodName: string(described.Name()), Handler: m.serve})
	return b.operation(m, described, bound)
}

func (b *binder) stream(m *method, described protoreflect.MethodDescriptor, stream endpoint.Stream) (err error) {
	if m.feed, err = b.server.Feed(stream); err != nil {
		return err
	}
	request, element := stream.Types()
	if m.request, err = b.planner.Message(described.Input(), request); err != nil {
		return err
	}
	m.answer, err = b.planner.Message(described.Output(), element)
	return err
}

func (b *binder) operation(m *method, described protoreflect.MethodDescriptor, bound Binding) (err error) {
	found, ok := b.endpoints[bound.Operation]
	if !ok {
		return fmt.Errorf("there is no operation %s", bound.Operation)
	}
	if m.operation, err = b.server.Operation(found); err != nil {
		return err
	}
	request, response := found.Types()
	if m.request, err = b.planner.Request(described.Input(), request, bound.Body, bound.ID); err != nil {
		return err
	}
	m.answer, err = b.planner.Message(described.Output(), response)
	return err
}

// method serves one method.
type method struct {
	service   *Service
	name      string
	input     protoreflect.MessageType
	request   *mapping.Plan
	answer    *mapping.Plan
	operation *endpoint.Operation
	feed      *endpoint.Feed
	// verbose finds out whether answers name types and fields.
	verbose func(protoreflect.Message) bool
	// hasCommands means that values of commands come in.
	hasCommands bool
}

// serve is a [grpc.MethodDesc] handler.
func (m *method) serve(_ any, ctx context.Context, receive func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var out frame
	var values protovalue.Encoder
	release, err := m.operation.Serve(ctx, m.call(ctx, receive, &values, func() error { return nil }),
		func(ctx context.Context, answer any) (err error) {
			if out.data, err = m.encode(answer, values); err != nil {
				return err
			}
			return endpoint.Keep(ctx, len(out.data))
		})
	if err != nil {
		return nil, err
	}
	out.release = release
	return &out, nil
}

// serveStream is a [grpc.StreamDesc] handler.
func (m *method) serveStream(_ any, stream grpc.ServerStream) error {
	var values protovalue.Encoder
	// Some clients give a stream little time for its headers: they go out before the first element.
	in := m.call(stream.Context(), stream.RecvMsg, &values, func() error { return stream.SendHeader(nil) })
	return m.feed.Serve(stream.Context(), in, func(ctx context.Context, element any) error {
		data, err := m.encode(element, values)
		if err != nil {
			return err
		}
		endpoint.Sent(ctx, len(data))
		return stream.SendMsg(&frame{data: data})
	})
}

// call is a call of the method. decoded runs after the request is decoded.
func (m *method) call(
	ctx context.Context, receive func(any) error, values *protovalue.Encoder, decoded func() error,
) endpoint.Call {
	return endpoint.Call{
		Name: m.name, Header: headerOf(ctx), Fail: m.service.fail,
		MaxMessage: m.service.maxMessage,
		Receive: func() ([]byte, error) {
			var in frame
			err := receive(&in)
			return in.data, asUnread(err)
		},
		Decode: func(ctx context.Context, data []byte, request reflect.Value) error {
			message := m.input.New()
			if err := readMessage(data, message.Interface()); err != nil {
				return err
			}
			values.Plain = !m.verbose(message)
			c := &mapping.Conversion{Packages: m.service.ledger.KnownPackages()}
			if m.hasCommands {
				var err error
				if c.Packages, err = m.service.ledger.CurrentPackages(ctx); err != nil {
					return err
				}
				c.Preference = preferenceOf(message)
			}
			if err := m.request.Decode(c, message, request); err != nil {
				return err
			}
			return decoded()
		},
	}
}

// encode encodes an answer or an element.
func (m *method) encode(answer any, values protovalue.Encoder) ([]byte, error) {
	c := &mapping.Conversion{Packages: m.service.ledger.KnownPackages(), Values: values}
	return m.answer.Append(nil, c, reflect.ValueOf(answer))
}

// headerOf are the metadata of a call that the node reads.
func headerOf(ctx context.Context) http.Header {
	header := http.Header{}
	for _, name := range []string{"Authorization", "Traceparent", "Tracestate"} {
		for _, value := range metadata.ValueFromIncomingContext(ctx, name) {
			header.Add(name, value)
		}
	}
	return header
}

// hasCommands reports whether a message has commands, or prefetched keys.
func hasCommands(message protoreflect.MessageDescriptor) bool {
	commands := message.Fields().ByName("commands")
	return commands != nil && commands.Message() != nil
}

// preferenceOf are the packages that the commands of a request prefer.
func preferenceOf(message protoreflect.Message) []lf.PackageID {
	switch request := message.Interface().(type) {
	case interface{ GetPackageIdSelectionPreference() []string }:
		return packageIDs(request.GetPackageIdSelectionPreference())
	case interface{ GetCommands() *ledgerpb.Commands }:
		return packageIDs(request.GetCommands().GetPackageIdSelectionPreference())
	default:
		return nil
	}
}
