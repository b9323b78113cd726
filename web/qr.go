package web

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrMargin is the width of the light border that readers of QR codes need, in modules.
const qrMargin = 4

// qrCode is a QR code as an SVG path with one unit for each module.
type qrCode struct {
	Size int
	Path string
}

// qrOf makes a QR code of a text.
func qrOf(text string) (*qrCode, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("make a QR code of %d letters: %w", len(text), err)
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+qrMargin, y+qrMargin, x-from, x-from)
			}
		}
	}
	return &qrCode{Size: code.Size + 2*qrMargin, Path: path.String()}, nil
}
