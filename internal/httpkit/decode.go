package httpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"waxwing/internal/fault"
)

const (
	// MaxBody is the size limit of every request body.
	MaxBody = 64 << 10
	// maxDepth limits nesting, well above what any request needs.
	maxDepth = 32
)

// None is the input of an operation that reads no field of its body.
type None struct{}

// Op adapts a typed operation: it decodes In from the body, calls f and encodes Out.
//
// In is a struct whose json tags name the fields exactly. A field tagged omitempty may be
// absent or null; any other is required. A tag `sentence:"…"` is the error message if that
// field is missing or has another type.
func Op[In, Out any](f func(r *http.Request, in In) (Out, error)) Handler {
	return OpStatus(func(r *http.Request, in In) (int, any, error) {
		out, err := f(r, in)
		return http.StatusOK, out, err
	})
}

// OpStatus is Op for an operation that chooses its status and the type of its reply.
func OpStatus[In any](f func(r *http.Request, in In) (status int, out any, err error)) Handler {
	fields := fieldsOf(reflect.TypeFor[In]())
	return func(w http.ResponseWriter, r *http.Request) error {
		var in In
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if err := decode(w, r, fields, reflect.ValueOf(&in).Elem()); err != nil {
				return err
			}
		}
		status, out, err := f(r, in)
		if err != nil {
			return err
		}
		return WriteJSON(w, status, out)
	}
}

// Decode reads the body of a request as Op does.
func Decode[In any](w http.ResponseWriter, r *http.Request) (in In, err error) {
	err = decode(w, r, fieldsOf(reflect.TypeFor[In]()), reflect.ValueOf(&in).Elem())
	return in, err
}

// field describes a struct field for decode.
type field struct {
	name     string
	index    int
	optional bool
	sentence string
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		fields = append(fields, field{
			name: name, index: i, optional: strings.Contains(options, "omitempty"), sentence: sf.Tag.Get("sentence"),
		})
	}
	return fields
}

// decode reads the body into the struct in.
func decode(w http.ResponseWriter, r *http.Request, fields []field, in reflect.Value) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	given, err := object(body)
	if errors.Is(err, errNotObject) {
		for _, f := range fields {
			if f.sentence != "" && !f.optional {
				return fault.New(fault.Invalid, "%s", f.sentence)
			}
		}
	}
	if err != nil {
		return err
	}
	for _, f := range fields {
		if err := f.set(in.Field(f.index), given[f.name]); err != nil {
			return err
		}
	}
	return nil
}

// set stores raw, which is nil if the field is absent.
func (f field) set(v reflect.Value, raw json.RawMessage) error {
	missing := raw == nil || string(raw) == "null"
	if missing && f.optional {
		return nil
	}
	if !missing && json.Unmarshal(raw, v.Addr().Interface()) == nil {
		return nil
	}
	switch {
	case f.sentence != "":
		return fault.New(fault.Invalid, "%s", f.sentence)
	case missing:
		return fault.New(fault.Invalid, "%s is missing; it must be %s", f.name, describe(v.Type()))
	}
	return fault.New(fault.Invalid, "%s must be %s", f.name, describe(v.Type()))
}

// describe names a JSON type for an error message.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return describe(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of strings"
		}
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a JSON value"
}

// readBody returns the body after checking its type and size. An absent body is empty.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := fault.New(fault.TooLarge, "the body must not exceed %d bytes", MaxBody)
	if r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case err != nil:
		return nil, fault.WrapCode(fault.Invalid, fault.InvalidBody, err, "the body is incomplete")
	}
	if body = bytes.Trim(body, jsonSpace); len(body) == 0 {
		return nil, nil
	}
	for _, encoding := range r.Header["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return nil, fault.New(fault.Unsupported, "send the body without Content-Encoding")
		}
	}
	for _, declared := range r.Header["Content-Type"] {
		if declared == "" {
			continue
		}
		if t, _, err := mime.ParseMediaType(declared); err != nil || t != "application/json" {
			return nil, fault.New(fault.Unsupported,
				"the body must be JSON; send the header Content-Type: application/json")
		}
	}
	return body, nil
}

// jsonSpace is the white space of JSON. bytes.TrimSpace removes more, such as a form feed.
const jsonSpace = " \t\r\n"

var errNotObject = fault.WithCode(fault.Invalid, fault.InvalidBody, "the body must be a JSON object")

// object returns the fields of the JSON object that body must be; an empty body has none.
// Keys are compared exactly, and no object at any depth may have a key twice, because parsers
// disagree about which value counts.
func object(body []byte) (map[string]json.RawMessage, error) {
	if len(body) == 0 {
		return nil, nil
	}
	if !utf8.Valid(body) {
		return nil, fault.WithCode(fault.Invalid, fault.InvalidBody, "the body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var first json.RawMessage
	if err := dec.Decode(&first); err != nil {
		return nil, fault.WrapCode(fault.Invalid, fault.InvalidBody, err, "the body is not valid JSON")
	}
	if len(bytes.Trim(body[dec.InputOffset():], jsonSpace)) > 0 {
		return nil, fault.WithCode(fault.Invalid, fault.InvalidBody, "the body has data after its JSON object")
	}
	if first[0] != '{' {
		return nil, errNotObject
	}
	dec = json.NewDecoder(bytes.NewReader(first))
	dec.UseNumber()
	fields := make(map[string]json.RawMessage)
	if err := walk(dec, first, fields, 0); err != nil {
		return nil, err
	}
	return fields, nil
}

// walk reads one value from dec, whose text is src, and rejects repeated keys and deep nesting.
// The values of the outermost object are stored in fields.
func walk(dec *json.Decoder, src []byte, fields map[string]json.RawMessage, depth int) error {
	if depth > maxDepth {
		return fault.WithCode(fault.Invalid, fault.InvalidBody, "the body is nested too deeply")
	}
	token, err := dec.Token()
	if err != nil {
		return fault.WrapCode(fault.Invalid, fault.InvalidBody, err, "the body is not valid JSON")
	}
	opening, isDelim := token.(json.Delim)
	if !isDelim {
		return nil
	}
	seen := make(map[string]bool)
	for dec.More() {
		var key string
		if opening == '{' {
			token, err := dec.Token()
			if err != nil {
				return fault.WrapCode(fault.Invalid, fault.InvalidBody, err, "the body is not valid JSON")
			}
			key, _ = token.(string)
			if seen[key] {
				return fault.WithCode(fault.Invalid, fault.InvalidBody, "%.40q is given twice", key)
			}
			seen[key] = true
		}
		start := dec.InputOffset()
		if err := walk(dec, src, fields, depth+1); err != nil {
			return err
		}
		if depth == 0 {
			fields[key] = bytes.TrimLeft(src[start:dec.InputOffset()], ": \t\r\n")
		}
	}
	_, err = dec.Token() // the closing delimiter
	return err
}
