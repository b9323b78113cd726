package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/grpcapi"
	"github.com/florinledger/florin/api/grpcapi/mapping"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/protovalue"
)

// inJSON are the operations of JSON that stand for those that only gRPC has in their form.
var inJSON = map[string]string{
	"callGetUser": "getV2UsersUser-id", "callListUserRights": "getV2UsersUser-idRights",
	"callGetParties": "getV2PartiesParty",
}

// onlyInCalls are operations without any form in JSON.
var onlyInCalls = []string{
	"callGetPackage", "callListPackages", "callListKnownPackages", "callUpdatePartyIdentityProviderId", "callGetTime", "callSetTime",
}

// callRoute is a method of the gRPC API with its route over HTTP.
type callRoute struct {
	name          string // as in /service/method
	route         mountedRoute
	message       protoreflect.MethodDescriptor
	request       reflect.Type
	response      reflect.Type
	planned, sent *mapping.Plan
}

// callRoutes pairs all methods with routes.
func (w *world) callRoutes(served map[string]mountedRoute) map[string]callRoute {
	w.t.Helper()
	planner := mapping.NewPlanner()
	byID := map[string]callRoute{}
	for _, e := range w.Ledger.Endpoints() {
		request, response := e.Types()
		if _, isOtherPath := byID[e.OperationID]; isOtherPath {
			continue
		}
		byID[e.OperationID] = callRoute{route: served[e.Method+" "+e.Path], request: request, response: response}
	}
	for _, stream := range w.Ledger.Streams() {
		request, element := stream.Types()
		byID[stream.OperationID] = callRoute{route: served["WS "+stream.Path], request: request, response: element}
	}
	routes := map[string]callRoute{}
	for name, bound := range grpcapi.Bindings {
		operation := bound.Operation
		if same, ok := inJSON[operation]; ok {
			operation = same
		}
		if slices.Contains(onlyInCalls, operation) {
			continue
		}
		found, ok := byID[operation]
		require.True(w.t, ok && found.route.pattern != "", operation)
		descriptor, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		require.NoError(w.t, err)
		found.message, ok = descriptor.(protoreflect.MethodDescriptor)
		require.True(w.t, ok)
		found.name = "/" + string(name.Parent()) + "/" + string(name.Name())
		if found.route.method == "WS" {
			found.planned, err = planner.Message(found.message.Input(), found.request)
		} else {
			found.planned, err = planner.Request(found.message.Input(), found.request, bound.Body, bound.ID)
		}
		require.NoError(w.t, err)
		found.sent, err = planner.Message(found.message.Output(), found.response)
		require.NoError(w.t, err)
		routes[found.route.method+" "+found.route.pattern] = found
	}
	return routes
}

// translate makes the message that says what a request over HTTP says.
func (w *world) translate(r callRoute, path string, body any) proto.Message {
	w.t.Helper()
	request := reflect.New(r.request).Elem()
	target := request
	if r.route.method != "WS" {
		target = w.fillParameters(r, request, path)
	}
	if content, err := json.Marshal(body); body != nil && target.IsValid() && target.Kind() != reflect.Slice {
		require.NoError(w.t, err)
		require.NoError(w.t, json.Unmarshal(content, target.Addr().Interface()))
	} else if raw, ok := body.([]byte); ok && target.IsValid() {
		target.SetBytes(raw)
	}
	return w.message(r.message.Input(), r.planned, request, true)
}

// fillParameters sets the parameters of a path, and returns the field of the body, which may not be there.
func (w *world) fillParameters(r callRoute, request reflect.Value, path string) (body reflect.Value) {
	w.t.Helper()
	at, err := url.Parse(path)
	require.NoError(w.t, err)
	parts := strings.Split(at.EscapedPath(), "/")
	for i := range request.NumField() {
		field := request.Type().Field(i)
		var values []string
		if name := field.Tag.Get("path"); name != "" {
			position := slices.Index(strings.Split(r.route.pattern, "/"), "{"+name+"}")
			value, err := url.PathUnescape(parts[position])
			require.NoError(w.t, err)
			values = []string{value}
		} else if name := field.Tag.Get("query"); name != "" {
			values = at.Query()[name]
		} else {
			body = request.Field(i)
		}
		for _, value := range values {
			setParameter(w.t, request.Field(i), value)
		}
	}
	if many := request.FieldByName("Parties"); r.route.pattern == "/v2/parties/{party}" && many.IsValid() && many.Len() == 0 {
		many.Set(reflect.Append(many, request.FieldByName("Party"))) // gRPC has only the list
	}
	return body
}

func setParameter(t *testing.T, target reflect.Value, value string) {
	t.Helper()
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		setParameter(t, target.Elem(), value)
	case reflect.Slice:
		target.Set(reflect.Append(target, reflect.ValueOf(value)))
	case reflect.String:
		target.SetString(value)
	case reflect.Bool:
		target.SetBool(value == "true")
	default:
		number, err := strconv.ParseInt(value, 10, 64)
		require.NoError(t, err)
		target.SetInt(number)
	}
}

func (w *world) message(
	descriptor protoreflect.MessageDescriptor, plan *mapping.Plan, from reflect.Value, isVerbose bool,
) proto.Message {
	w.t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
	require.NoError(w.t, err)
	out := kind.New()
	packages, err := w.Ledger.CurrentPackages(w.t.Context())
	require.NoError(w.t, err)
	c := &mapping.Conversion{Packages: packages, Values: protovalue.Encoder{Plain: !isVerbose}}
	encoded, err := plan.Append(nil, c, from)
	require.NoError(w.t, err)
	require.NoError(w.t, proto.Unmarshal(encoded, out.Interface()))
	return out.Interface()
}

// called is the outcome of a call.
type called struct {
	status *status.Status
	answer proto.Message
}

func (w *world) invoke(conn *grpc.ClientConn, r callRoute, caller string, in proto.Message) called {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	if token := w.token(caller); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(r.message.Output().FullName())
	require.NoError(w.t, err)
	out := kind.New().Interface()
	if !r.message.IsStreamingServer() {
		err = conn.Invoke(ctx, r.name, in, out)
		return called{status.Convert(err), out}
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, r.name)
	require.NoError(w.t, err)
	require.NoError(w.t, stream.SendMsg(in))
	require.NoError(w.t, stream.CloseSend())
	if err = stream.RecvMsg(out); errors.Is(err, io.EOF) {
		err = nil
	}
	return called{status.Convert(err), out}
}

// Every caller calls every method, about every subject. The rights are those of the table, and errors those of HTTP.
//
// contract: grpc-rights, grpc-errors
func TestCalls_HaveTheRightsAndErrorsOfHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn := w.Calls()
	routes := w.callRoutes(w.operations(t))
	tested := map[string]bool{}
	for _, rule := range readRights(t) {
		for operation, statuses := range rule.endpoints {
			r, ok := routes[operation]
			if !ok {
				continue
			}
			tested[operation] = true
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				if isDisturbed(operation) {
					own := newWorld(t)
					own.compareCalls(own.Calls(), rule, r, append(statuses, http.StatusOK))
					return
				}
				w.in(t).compareCalls(conn, rule, r, statuses)
			})
		}
	}
	require.Len(t, tested, len(routes), "each method has a rule")
}

func (w *world) compareCalls(conn *grpc.ClientConn, r *rule, route callRoute, statuses []int) {
	w.t.Helper()
	for _, aim := range append([]string{"any"}, aims...) {
		expected, ok := r.rows[aim]
		if !ok {
			continue
		}
		for i, caller := range callers {
			c := w.cell(caller, aim)
			path, body := w.request(route.route, c)
			got := w.invoke(conn, route, caller, w.translate(route, path, body))
			w.compareOutcome(expected[i], statuses, got, route, c)
		}
	}
}

func (w *world) compareOutcome(expected string, statuses []int, got called, route callRoute, c cell) {
	w.t.Helper()
	outcome := "ok"
	switch got.status.Code() {
	case codes.Unauthenticated:
		outcome = "401"
	case codes.PermissionDenied:
		outcome = "403"
	case codes.OK:
		require.Contains(w.t, statuses, http.StatusOK, "%s succeeds for %s, %s", route.name, c.caller, c.aim)
		w.compareAnswer(got, route, c)
	default:
		require.NotEqual(w.t, []int{http.StatusOK}, statuses, "%s as %s, %s: %s", route.name, c.caller, c.aim, got.status)
		w.compareError(got, route, c)
	}
	require.Equal(w.t, expected, outcome, "%s as %s, %s: %s", route.name, c.caller, c.aim, got.status)
}

// isDisturbed reports whether other operations change what this one answers, while the two encodings are asked: it runs
// in a world of its own. PATCH without a path changes the provider of others.
func isDisturbed(operation string) bool {
	return operation == "PATCH /v2/idps/{idp-id}" || operation == "WS /v2/commands/completions" ||
		strings.HasPrefix(operation, "GET /v2/users") || strings.HasPrefix(operation, "GET /v2/parties") ||
		strings.HasPrefix(operation, "GET /v2/idps")
}

// stable are the services whose answers do not change while other tests run; GetLedgerEnd's does.
var stable = []string{
	"UpdateService", "StateService", "EventQueryService", "ContractService", "VersionService", "PackageService",
}

// compareAnswer asks over HTTP. Of a read the answers are equal, of a change they have the same fields.
func (w *world) compareAnswer(got called, route callRoute, c cell) {
	w.t.Helper()
	code, text := w.answerTo(route.route, c)
	if code != http.StatusOK || route.response == reflect.TypeFor[endpoint.Content]() {
		return // such as the second deletion of a user
	}
	answer := reflect.New(route.response)
	require.NoError(w.t, json.Unmarshal([]byte(text), answer.Interface()), route.name)
	_, body := w.request(route.route, c)
	sent, err := json.Marshal(body)
	require.NoError(w.t, err)
	isPlain := strings.Contains(string(sent), `"verbose":false`) || strings.HasSuffix(route.name, "/GetContract")
	want := w.message(route.message.Output(), route.sent, answer.Elem(), !isPlain)
	if !strings.HasSuffix(route.name, "UserRights") { // the second grant grants nothing new
		require.Equal(w.t, fieldsOf(want.ProtoReflect(), ""), fieldsOf(got.answer.ProtoReflect(), ""), "%s: %s", route.name, text)
	}
	service := string(route.message.Parent().Name())
	if slices.Contains(stable, service) && route.message.Name() != "GetLedgerEnd" {
		require.True(w.t, proto.Equal(want, got.answer), "%s as %s:\n%s\n%s", route.name, c.caller, want, got.answer)
	}
}

// fieldsOf are the paths of the fields that are set, without positions in lists.
func fieldsOf(message protoreflect.Message, path string) map[string]bool {
	fields := map[string]bool{}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		here := path + "." + string(field.Name())
		fields[here] = true
		add := func(inner protoreflect.Value) { maps.Copy(fields, fieldsOf(inner.Message(), here)) }
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				add(value.List().Get(i))
			}
		default:
			add(value)
		}
		return true
	})
	return fields
}

// compareError asks over HTTP, which must refuse with the same code.
func (w *world) compareError(got called, route callRoute, c cell) {
	w.t.Helper()
	_, text := w.answerTo(route.route, c)
	var body v2.JsCantonError
	if json.Unmarshal([]byte(text), &body) != nil {
		return // plain text of HTTP has no code
	}
	require.NotNil(w.t, body.GRPCCodeValue, text)
	require.Equal(w.t, codes.Code(*body.GRPCCodeValue), got.status.Code(), "%s: %s", route.name, text)
	info, ok := got.status.Details()[0].(*errdetails.ErrorInfo)
	require.True(w.t, ok, got.status)
	require.Equal(w.t, body.Code, info.GetReason(), "%s: %s", route.name, got.status)
}
