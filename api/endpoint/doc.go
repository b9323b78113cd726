// Package endpoint serves every HTTP endpoint of this node.
//
// An [Endpoint] is data: method, path, description, request type, response type, needed right, and a function from
// request to response. The [Server] does the rest the same way for all: it reads the parameters, authenticates, decodes
// the body, checks the right, calls, encodes, and turns errors into answers. The same list of endpoints that the router
// mounts is what the OpenAPI document is made from ([Describe]), so the two cannot differ.
//
// A [Stream] is the second kind of endpoint: one request, many elements, over a WebSocket. Its function gets a [Send]
// that blocks until the client has taken an element, so that it reads no faster than the client does. [Streams] knows
// those that are open. [DescribeStreams] makes their AsyncAPI document.
//
// # Wire types
//
// Requests and responses are plain structs. A request type names where each of its fields comes from:
//
//	type listUsersRequest struct {
//		PageSize int32            `query:"pageSize" alias:"page_size" doc:"…"`
//		UserID   string           `path:"user-id" doc:"…"`
//		Body     CreateUserRequest `body:"json"`
//	}
//
// A body that is not JSON is a field []byte with `body:"bytes"`. Fields of bodies carry `json` names and `doc` texts;
// `required:"true"` marks them required in the document. If a struct embeds [Strict], the decoder refuses a
// body without a required field. In any other struct a missing field has its zero value, as in protobuf, and the
// endpoint refuses it. A pointer is a field that may be null. A struct that embeds [OneOf] has one pointer for each alternative
// and is an object with exactly one key.
package endpoint
