package elastic

import "time"

// Query is as in the client. Temporal's server checks filters of schedules by building one, so building succeeds.
type Query interface {
	Source() (any, error)
}

type (
	Aggregation = Query
	Sorter      = Query
)

type part struct{}

func (part) Source() (any, error) { return nil, errLeftOut }

type (
	SortByDoc struct{ part }

	BoolQuery struct{ part }
)

func NewBoolQuery() *BoolQuery { return &BoolQuery{} }

func (q *BoolQuery) Filter(...Query) *BoolQuery { return q }

func (q *BoolQuery) MustNot(...Query) *BoolQuery { return q }

func (q *BoolQuery) Should(...Query) *BoolQuery { return q }

func (q *BoolQuery) MinimumNumberShouldMatch(int) *BoolQuery { return q }

func (q *BoolQuery) MinimumShouldMatch(string) *BoolQuery { return q }

func NewExistsQuery(string) Query { return part{} }

func NewMatchQuery(string, any) Query { return part{} }

func NewPrefixQuery(string, string) Query { return part{} }

func NewTermQuery(string, any) Query { return part{} }

func NewTermsQuery(string, ...any) Query { return part{} }

type RangeQuery struct{ part }

func NewRangeQuery(string) *RangeQuery { return &RangeQuery{} }

func (q *RangeQuery) Gt(any) *RangeQuery { return q }

func (q *RangeQuery) Gte(any) *RangeQuery { return q }

func (q *RangeQuery) Lt(any) *RangeQuery { return q }

func (q *RangeQuery) Lte(any) *RangeQuery { return q }

type FieldSort struct{ part }

func NewFieldSort(string) *FieldSort { return &FieldSort{} }

func (s *FieldSort) Desc() *FieldSort { return s }

func (s *FieldSort) Missing(any) *FieldSort { return s }

type TermsAggregation struct{ part }

func NewTermsAggregation() *TermsAggregation { return &TermsAggregation{} }

func (a *TermsAggregation) Field(string) *TermsAggregation { return a }

func (a *TermsAggregation) Missing(any) *TermsAggregation { return a }

func (a *TermsAggregation) SubAggregation(string, Aggregation) *TermsAggregation { return a }

type SearchSource struct{ part }

func NewSearchSource() *SearchSource { return &SearchSource{} }

func (s *SearchSource) Aggregation(string, Aggregation) *SearchSource { return s }

func (s *SearchSource) Query(Query) *SearchSource { return s }

func (s *SearchSource) SearchAfter(...any) *SearchSource { return s }

func (s *SearchSource) Size(int) *SearchSource { return s }

func (s *SearchSource) SortBy(...Sorter) *SearchSource { return s }

func (s *SearchSource) TrackTotalHits(any) *SearchSource { return s }

type Backoff struct{}

func NewExponentialBackoff(_, _ time.Duration) Backoff { return Backoff{} }

func NewBackoffRetrier(Backoff) Backoff { return Backoff{} }

type NumberDecoder struct{}
