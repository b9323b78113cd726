package adversary

import (
	"bytes"
	"fmt"
)

// marks are texts and amounts that exist only in contracts of the bystanders. If the adversary reads one that it did
// not send, the node leaked it.
type marks struct{ seed uint64 }

func (m marks) prefix() string { return fmt.Sprintf("secret%016x", m.seed*0x9e3779b97f4a7c15+1) }

func (m marks) fraction() string { return fmt.Sprintf("%06d", 100_000+(m.seed*7919+313_131)%900_000) }

// text is a text that only a bystander may read.
func (m marks) text(cycle int, what string) string {
	return fmt.Sprintf("%s-%d-%s", m.prefix(), cycle, what)
}

// amount is an amount that only a bystander may read.
func (m marks) amount(cycle int) string {
	return fmt.Sprintf("%d.%s%04d", 1+cycle%7, m.fraction(), cycle%10_000)
}

// sum is the common fraction of the amounts, which their sum has, too.
func (m marks) sum() string { return "." + m.fraction() }

// in finds a mark in an answer that is not in the request; "" for none.
func (m marks) in(read, sent []byte) string {
	for _, mark := range []string{m.prefix(), m.sum()} {
		if bytes.Contains(read, []byte(mark)) && !bytes.Contains(sent, []byte(mark)) {
			return mark
		}
	}
	return ""
}
