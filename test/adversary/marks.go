package adversary

import (
	"bytes"
	"fmt"
)

// marks make texts and amounts that are in contracts of the bystanders and nowhere else. Where the adversary reads one
// that it did not send, it read what is not its own.
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

// sum is what the amounts have in common: who sums them up shows it.
func (m marks) sum() string { return "." + m.fraction() }

// in finds a mark in what was read that is not in what was sent; "" when there is none.
func (m marks) in(read, sent []byte) string {
	for _, mark := range []string{m.prefix(), m.sum()} {
		if bytes.Contains(read, []byte(mark)) && !bytes.Contains(sent, []byte(mark)) {
			return mark
		}
	}
	return ""
}
