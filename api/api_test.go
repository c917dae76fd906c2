package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api"
)

// TestDocumentsAreValid checks both documents against OpenAPI 3.1, examples included.
func TestDocumentsAreValid(t *testing.T) {
	for name, src := range map[string][]byte{"player.yaml": api.PlayerYAML, "catalog.yaml": api.CatalogYAML} {
		t.Run(name, func(t *testing.T) {
			loader := openapi3.NewLoader()
			doc, err := loader.LoadFromData(src)
			if err != nil {
				t.Fatal(err)
			}
			if doc.OpenAPI != "3.1.0" {
				t.Errorf("got OpenAPI version %s, want 3.1.0", doc.OpenAPI)
			}
			err = doc.Validate(loader.Context, openapi3.IsOpenAPI31OrLater(), openapi3.EnableExamplesValidation())
			if err != nil {
				t.Error(err)
			}
		})
	}
}
