package cli

import (
	_ "embed"
	"io"
)

// licences is the text of every licence that the binary falls under, written by packaging/licences.
//
//go:embed licences.txt
var licences string

type licencesCmd struct{}

func (licencesCmd) Run(std IO) error {
	_, err := io.WriteString(std.Out, licences)
	return err
}
