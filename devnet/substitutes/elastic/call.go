package elastic

import (
	"context"
	"encoding/json"
	"time"
)

// Call stands for all services of the client. It ignores its parameters and refuses.
type Call[T any] struct{}

func (c *Call[T]) AllowPartialSearchResults(bool) *Call[T] { return c }

func (c *Call[T]) BodyJson(map[string]any) *Call[T] { return c }

func (c *Call[T]) BodyString(string) *Call[T] { return c }

func (c *Call[T]) Id(string) *Call[T] { return c }

func (c *Call[T]) Index(string) *Call[T] { return c }

func (c *Call[T]) Query(Query) *Call[T] { return c }

func (c *Call[T]) SearchSource(*SearchSource) *Call[T] { return c }

func (c *Call[T]) Version(int64) *Call[T] { return c }

func (c *Call[T]) VersionType(string) *Call[T] { return c }

func (c *Call[T]) WaitForYellowStatus() *Call[T] { return c }

func (*Call[T]) Do(context.Context) (T, error) {
	var nothing T
	return nothing, errLeftOut
}

type Ping struct{}

func (*Ping) Do(context.Context) (any, int, error) { return nil, 0, errLeftOut }

type BulkService struct{}

func (s *BulkService) Add(...BulkableRequest) *BulkService { return s }

func (*BulkService) Do(context.Context) (*BulkResponse, error) { return nil, errLeftOut }

func (*BulkService) NumberOfActions() int { return 0 }

type (
	BulkBeforeFunc func(executionID int64, requests []BulkableRequest)
	BulkAfterFunc  func(executionID int64, requests []BulkableRequest, response *BulkResponse, err error)
)

type BulkProcessorService struct{}

func (s *BulkProcessorService) After(BulkAfterFunc) *BulkProcessorService { return s }

func (s *BulkProcessorService) Before(BulkBeforeFunc) *BulkProcessorService { return s }

func (s *BulkProcessorService) BulkActions(int) *BulkProcessorService { return s }

func (s *BulkProcessorService) BulkSize(int) *BulkProcessorService { return s }

func (s *BulkProcessorService) FlushInterval(time.Duration) *BulkProcessorService { return s }

func (s *BulkProcessorService) Name(string) *BulkProcessorService { return s }

func (s *BulkProcessorService) RetryItemStatusCodes(...int) *BulkProcessorService { return s }

func (s *BulkProcessorService) Workers(int) *BulkProcessorService { return s }

func (*BulkProcessorService) Do(context.Context) (*BulkProcessor, error) { return nil, errLeftOut }

type BulkProcessor struct{}

func (*BulkProcessor) Add(BulkableRequest) {}

func (*BulkProcessor) Flush() error { return errLeftOut }

func (*BulkProcessor) Stop() error { return errLeftOut }

type BulkableRequest interface {
	Source() ([]string, error)
	String() string
}

type BulkRequest struct{}

func NewBulkIndexRequest() *BulkRequest { return &BulkRequest{} }

func NewBulkDeleteRequest() *BulkRequest { return &BulkRequest{} }

func (r *BulkRequest) Doc(any) *BulkRequest { return r }

func (r *BulkRequest) Id(string) *BulkRequest { return r }

func (r *BulkRequest) Index(string) *BulkRequest { return r }

func (r *BulkRequest) Version(int64) *BulkRequest { return r }

func (r *BulkRequest) VersionType(string) *BulkRequest { return r }

func (*BulkRequest) Source() ([]string, error) { return nil, errLeftOut }

func (*BulkRequest) String() string { return "" }

type (
	Acknowledgement            struct{ Acknowledged bool }
	CatIndicesResponse         []struct{ Index string }
	ClusterHealthResponse      struct{ Status string }
	IndicesGetSettingsResponse struct{ Settings map[string]any }
	Response                   struct{ Body json.RawMessage }

	GetResult struct {
		Found  bool
		Id     string
		Source json.RawMessage
	}

	SearchResult struct {
		Hits         *SearchHits
		Aggregations map[string]json.RawMessage
	}

	SearchHits struct{ Hits []*SearchHit }

	SearchHit struct {
		Id     string
		Source json.RawMessage
		Sort   []any
	}

	BulkResponse struct {
		Took  int
		Items []map[string]*BulkResponseItem
	}

	BulkResponseItem struct {
		Id     string
		Status int
		Error  *ErrorDetails
	}

	ErrorDetails struct{ Type, Reason string }

	// Error exists because Temporal's server looks for it. No call returns one.
	Error struct {
		Status  int
		Details *ErrorDetails
	}
)

func (e *Error) Error() string { return e.Details.Reason }
