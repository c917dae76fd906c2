// Package api holds the contracts: the OpenAPI documents that both servers and every client
// obey. The types in playerapi and catalogapi are generated from them.
package api

import _ "embed"

//go:generate go run ./gen

// PlayerYAML describes the local control API.
//
//go:embed player.yaml
var PlayerYAML []byte

// CatalogYAML describes the catalog API.
//
//go:embed catalog.yaml
var CatalogYAML []byte
