package prepared

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/ledgerpb"
)

// encoding collects the bytes that a hash covers. All numbers are big-endian and of fixed width; a length or count of 4
// bytes comes before texts, bytes and lists.
type encoding struct {
	content []byte
	trace   *trace // nil for none
}

func (e *encoding) raw(content []byte, what string) {
	e.content = append(e.content, content...)
	e.trace.line(content, what, "")
}

func (e *encoding) byte(value byte, what string) { e.raw([]byte{value}, what) }

func (e *encoding) bool(value bool, what string) {
	content := []byte{0}
	if value {
		content[0] = 1
	}
	e.content = append(e.content, content...)
	e.trace.line(content, what, strconv.FormatBool(value))
}

func (e *encoding) int32(value int32, what string) {
	content := binary.BigEndian.AppendUint32(nil, uint32(value))
	e.content = append(e.content, content...)
	e.trace.line(content, what, strconv.Itoa(int(value)))
}

func (e *encoding) int64(value int64, what string) {
	content := binary.BigEndian.AppendUint64(nil, uint64(value))
	e.content = append(e.content, content...)
	e.trace.line(content, what, strconv.FormatInt(value, 10))
}

func (e *encoding) count(length int, what string) { e.int32(int32(length), what) }

func (e *encoding) text(value, what string) {
	content := append(binary.BigEndian.AppendUint32(nil, uint32(len(value))), value...)
	e.content = append(e.content, content...)
	e.trace.line(content, what, strconv.Quote(value))
}

func (e *encoding) texts(values []string, what string) {
	e.count(len(values), "number of "+what)
	for _, value := range values {
		e.text(value, what)
	}
}

// hexText adds the bytes of a hexadecimal text, which [Decode] checked.
func (e *encoding) hexText(value, what string) {
	decoded, _ := hex.DecodeString(value)
	content := append(binary.BigEndian.AppendUint32(nil, uint32(len(decoded))), decoded...)
	e.content = append(e.content, content...)
	e.trace.line(content, what, value)
}

// optional reports whether the value follows.
func (e *encoding) optional(present bool, what string) bool {
	if present {
		e.byte(1, what+": present")
	} else {
		e.byte(0, what+": none")
	}
	return present
}

func (e *encoding) optionalTime(micros *uint64, what string) {
	if e.optional(micros != nil, what) {
		e.int64(int64(*micros), what)
	}
}

func (e *encoding) identifier(id *ledgerpb.Identifier, what string) {
	e.text(id.GetPackageId(), what+": package")
	e.texts(strings.Split(id.GetModuleName(), "."), what+": module")
	e.texts(strings.Split(id.GetEntityName(), "."), what+": entity")
}

func (e *encoding) optionalIdentifier(id *ledgerpb.Identifier, what string) {
	if e.optional(id != nil, what) {
		e.identifier(id, what)
	}
}

// trace explains an encoding to people: each line has some bytes in hexadecimal and their meaning. A nil trace does
// nothing.
type trace struct {
	out   strings.Builder
	depth int
}

func (t *trace) line(content []byte, what, value string) {
	if t == nil {
		return
	}
	if value != "" {
		value = " " + value
	}
	fmt.Fprintf(&t.out, "%s'%x' # %s%s\n", strings.Repeat("  ", t.depth), content, what, value)
}

// begin starts a part with its own hash; end closes it.
func (t *trace) begin(what string) {
	if t != nil {
		fmt.Fprintf(&t.out, "%s# %s\n", strings.Repeat("  ", t.depth), what)
		t.depth++
	}
}

func (t *trace) end() {
	if t != nil {
		t.depth--
	}
}
