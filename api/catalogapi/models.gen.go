// Code generated from api/catalog.yaml by api/gen. DO NOT EDIT.

// Package catalogapi holds the wire types of api/catalog.yaml.
package catalogapi

// Error: Why a request was not answered, in a sentence for a person.
type Error struct {
	Error string `json:"error"`
}
