package daml

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes; the text may have a unit K, M, G or T.
type size int64

// UnmarshalText reads a size.
func (s *size) UnmarshalText(text []byte) error {
	number, unit := strings.TrimSuffix(strings.TrimSuffix(string(text), "B"), "i"), int64(1)
	if n := len(number); n > 0 {
		if power := strings.IndexByte("KMGT", number[n-1]); power >= 0 {
			number, unit = number[:n-1], 1<<(10*(power+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && n > math.MaxInt64/unit {
		return fmt.Errorf("%q is too large: no machine has so much memory", text)
	}
	if err != nil || n <= 0 {
		return fmt.Errorf("%q is not an amount of memory: use bytes, or a number with K, M, G or T, such as 512M", text)
	}
	*s = size(n * unit)
	return nil
}

// MarshalText prints a size as a whole number in its largest possible unit.
func (s size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s size) String() string {
	units := "KMGT"
	n, power := int64(s), 0
	for n != 0 && n%1024 == 0 && power < len(units) {
		n, power = n/1024, power+1
	}
	if power == 0 {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10) + units[power-1:power]
}

func (s size) words() string {
	text := s.String()
	if last := text[len(text)-1]; '0' <= last && last <= '9' {
		return count(int(s), "byte")
	}
	return text
}
