package cli

import "context"

type upCmd struct {
	place
	logSettings
	playerSettings
	catalogSettings
}

func (c *upCmd) Run(ctx context.Context, std IO, version versionString) error { return nil }

type catalogCmd struct {
	place
	logSettings
	catalogSettings
}

func (c *catalogCmd) Run(ctx context.Context, std IO, version versionString) error { return nil }
