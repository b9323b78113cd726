package sentence

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxValue limits the values that a sentence reads. Those of the built-in choices are shorter, but for long lists.
const maxValue = 64 << 10

// find returns the value at a path, such as arg.transfer.outputs.0.amount; nil if there is none.
func (w *writer) find(path string) any {
	root, rest, _ := strings.Cut(path, ".")
	value := w.root(root)
	for name := range strings.SplitSeq(rest, ".") {
		switch from := value.(type) {
		case map[string]any:
			value = from[name]
		case []any:
			at, err := strconv.Atoi(name)
			if err != nil || at >= len(from) {
				return nil
			}
			value = from[at]
		default:
			return nil
		}
	}
	return value
}

// text is the text at a path; "" if there is none.
func (w *writer) text(path string) string {
	text, _ := w.find(path).(string)
	return text
}

// root decodes the argument, the result, or the contract of the choice.
func (w *writer) root(name string) any {
	if value, known := w.roots[name]; known {
		return value
	}
	var raw json.RawMessage
	switch name {
	case "arg":
		raw = w.event.Argument
	case "res":
		raw = w.event.Result
	case "on":
		raw = w.Payload(w.event.Contract)
	}
	if w.roots == nil {
		w.roots = map[string]any{}
	}
	w.roots[name] = decode(raw)
	return w.roots[name]
}

func decode(raw json.RawMessage) any {
	if len(raw) == 0 || len(raw) > maxValue {
		return nil
	}
	reading := json.NewDecoder(bytes.NewReader(raw))
	reading.UseNumber()
	var value any
	if reading.Decode(&value) != nil {
		return nil
	}
	return value
}

// traffic formats bytes, such as 240 kB.
func traffic(value any) (string, bool) {
	text, isText := value.(string)
	if number, isNumber := value.(json.Number); isNumber {
		text, isText = number.String(), true
	}
	bytes, ok := new(big.Int).SetString(text, 10)
	if !isText || !ok {
		return "", false
	}
	size, _ := new(big.Float).SetInt(bytes).Float64()
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	unit := 0
	for size >= 1000 && unit < len(units)-1 {
		size /= 1000
		unit++
	}
	return strconv.FormatFloat(size, 'g', 4, 64) + " " + units[unit], true
}

// day writes the date of a time.
func day(value any) (string, bool) {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", false
	}
	return at.UTC().Format("2 Jan 2006"), true
}
