package deploytest

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// schemaAt compiles what is at a place of a published document, as strict does.
func schemaAt(t *testing.T, document any, at string) *jsonschema.Schema {
	t.Helper()
	strict(document)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file:///published.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("file:///published.json#" + at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// strict closes every object of a schema that lists its properties: published
// schemas allow what they do not know, and so would a misspelt field.
func strict(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			strict(e)
		}
	case map[string]any:
		for _, e := range v {
			strict(e)
		}
		_, lists := v["properties"].(map[string]any)
		if _, open := v["additionalProperties"]; lists && !open && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	}
}

// validate holds YAML to a schema.
func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}
