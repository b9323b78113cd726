// Package elastic replaces the client of Elasticsearch, where Temporal's server can list workflows. Florin's Temporal
// lists them in PostgreSQL. No client can be made here, so nothing calls its methods.
package elastic

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

var errLeftOut = errors.New("this build of Florin has no Elasticsearch: run your own Temporal server to use it")

type Client struct{}

type ClientOptionFunc func(*Client) error

func refuse(*Client) error { return errLeftOut }

func NewClient(...ClientOptionFunc) (*Client, error) { return nil, errLeftOut }

func SetBasicAuth(_, _ string) ClientOptionFunc { return refuse }

func SetDecoder(*NumberDecoder) ClientOptionFunc { return refuse }

func SetErrorLog(any) ClientOptionFunc { return refuse }

func SetGzip(bool) ClientOptionFunc { return refuse }

func SetHealthcheck(bool) ClientOptionFunc { return refuse }

func SetHttpClient(*http.Client) ClientOptionFunc { return refuse }

func SetInfoLog(any) ClientOptionFunc { return refuse }

func SetRetrier(Backoff) ClientOptionFunc { return refuse }

func SetSniff(bool) ClientOptionFunc { return refuse }

func SetTraceLog(any) ClientOptionFunc { return refuse }

func SetURL(...string) ClientOptionFunc { return refuse }

func IsNotFound(error) bool { return false }

func (*Client) Start() {}

func (*Client) Stop() {}

type PerformRequestOptions struct {
	Method, Path, ContentType string
	Params                    url.Values
	Headers                   http.Header
	Body                      any
}

func (*Client) PerformRequest(context.Context, PerformRequestOptions) (*Response, error) {
	return nil, errLeftOut
}

func (*Client) Bulk() *BulkService { return nil }

func (*Client) BulkProcessor() *BulkProcessorService { return nil }

func (*Client) CatIndices() *Call[CatIndicesResponse] { return nil }

func (*Client) ClusterHealth() *Call[*ClusterHealthResponse] { return nil }

func (*Client) Count(...string) *Call[int64] { return nil }

func (*Client) CreateIndex(string) *Call[*Acknowledgement] { return nil }

func (*Client) Delete() *Call[*Acknowledgement] { return nil }

func (*Client) DeleteIndex(...string) *Call[*Acknowledgement] { return nil }

func (*Client) Get() *Call[*GetResult] { return nil }

func (*Client) IndexExists(...string) *Call[bool] { return nil }

func (*Client) IndexGetSettings(...string) *Call[map[string]*IndicesGetSettingsResponse] { return nil }

func (*Client) IndexPutSettings(...string) *Call[*Acknowledgement] { return nil }

func (*Client) IndexPutTemplate(string) *Call[*Acknowledgement] { return nil }

func (*Client) Ping(string) *Ping { return nil }

func (*Client) PutMapping() *Call[*Acknowledgement] { return nil }

func (*Client) Search(...string) *Call[*SearchResult] { return nil }
