// Package retry replaces the rules of the AWS SDK about which errors are temporary.
package retry

type Standard struct{}

func NewStandard() *Standard { return &Standard{} }

func (*Standard) IsErrorRetryable(error) bool { return false }
