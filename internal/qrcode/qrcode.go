// Package qrcode encodes texts as QR codes.
package qrcode

import (
	"fmt"

	"rsc.io/qr"
)

// Rows returns a QR code without its margin, from top to bottom: a text for each row, with 1 for
// dark and 0 for light.
func Rows(text string) ([]string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("encode a QR code: %w", err)
	}
	rows := make([]string, code.Size)
	for y := range rows {
		row := make([]byte, code.Size)
		for x := range row {
			row[x] = '0'
			if code.Black(x, y) {
				row[x] = '1'
			}
		}
		rows[y] = string(row)
	}
	return rows, nil
}
