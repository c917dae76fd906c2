package httpkit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/testenv"
)

type input struct {
	Name   string   `json:"name"`
	Count  *int     `json:"count,omitempty"`
	On     *bool    `json:"on,omitempty"`
	List   []string `json:"list,omitempty"`
	Ratio  *float64 `json:"ratio,omitempty"  sentence:"ratio must be a fraction"`
	Switch any      `json:"switch,omitempty"`
}

// decoded runs the adapter alone. It returns the input of the operation as JSON, or whether the
// error is of kind Invalid and its message.
func decoded(body string) string {
	got := ""
	op := httpkit.Op(func(_ *http.Request, in input) (httpkit.None, error) {
		b, err := json.Marshal(in)
		got = string(b)
		return httpkit.None{}, err
	})
	err := op(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(body)))
	if err != nil {
		kind, sentence := fault.Of(err)
		return fmt.Sprint(kind == fault.Invalid, " ", sentence)
	}
	return got
}

func TestDecodeMatchesFieldsExactlyAndRejectsInvalidBodies(t *testing.T) {
	const allFields = `{"name":"a","count":2,"on":false,"list":["x"],"ratio":0.5,"switch":true}`
	for body, want := range map[string]string{
		`{"name":"a"}`: `{"name":"a"}`,
		allFields:      allFields,
		`{"name":"a","count":null,"on":null,"list":null,"ratio":null,"switch":null}`: `{"name":"a"}`,
		` { "name" : "a\u00e9\n" , "unknown" : { "name" : [ { } ] } } `:              `{"name":"aé\n"}`,
		`{"NAME":"b","name":"a","Count":"not ours"}`:                                 `{"name":"a"}`,
		`{}`:                       `true name is missing; it must be a string`,
		``:                         `true name is missing; it must be a string`,
		`{"name":null}`:            `true name is missing; it must be a string`,
		`{"name":1}`:               `true name must be a string`,
		`{"name":"a","count":"2"}`: `true count must be a whole number`,
		`{"name":"a","count":1.5}`: `true count must be a whole number`,
		`{"name":"a","count":99999999999999999999}`: `true count must be a whole number`,
		`{"name":"a","on":1}`:                       `true on must be true or false`,
		`{"name":"a","list":["x",1]}`:               `true list must be a list of strings`,
		`{"name":"a","list":{}}`:                    `true list must be a list of strings`,
		`{"name":"a","ratio":"x"}`:                  `true ratio must be a fraction`,
		`{"name":"a","name":"b"}`:                   `true "name" is given twice`,
		`{"name":"a","z":{"q":1,"q":2}}`:            `true "q" is given twice`,
		`{"name":"a"}}`:                             `true the body has data after its JSON object`,
		`{"name":"a"`:                               `true the body is not valid JSON`,
		"\ufeff{\"name\":\"a\"}":                    `true the body is not valid JSON`,
		`{"name":'a'}`:                              `true the body is not valid JSON`,
		`{"name":"` + "\xc3\x28" + `"}`:             `true the body is not valid UTF-8`,
		`["name"]`:                                  `true the body must be a JSON object`,
	} {
		if got := decoded(body); got != want {
			t.Errorf("%.60s:\n got %s\nwant %s", body, got, want)
		}
	}
}

// FuzzDecode checks that for any body the operation gets the values that encoding/json decodes, or
// the client gets an error of kind Invalid.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"name":"a","count":1}`, `{"name":"a","name":"b"}`, `[[[[`, `{"a":{"b":[1,2,{"c":null}]}}`, "\xff",
		`{"name":"\ud800"}`, `{"name":"a"} x`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var got string
		testenv.CheckCost(t, func() { got = decoded(body) })
		if strings.HasPrefix(got, "false ") {
			t.Fatalf("%q: got %s, want an error of kind Invalid", body, got)
		}
		if !strings.HasPrefix(got, "{") {
			return
		}
		var loose map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &loose); err != nil {
			t.Fatalf("%q: got %s, want an error like that of encoding/json: %v", body, got, err)
		}
		var want, name string
		if json.Unmarshal(loose["name"], &want) != nil ||
			json.Unmarshal([]byte(got), &struct{ Name *string }{&name}) != nil ||
			want != name {
			t.Fatalf("%q: got %s, want the name %q", body, got, want)
		}
	})
}
