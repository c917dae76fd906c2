package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// The error messages of these parsers are clearer than those of kong.
var (
	intValue = parseValue("whole number", "10", func(s string) (int64,
		error) {
		return strconv.ParseInt(s, 10, 64)
	}, reflect.Value.SetInt)
	floatValue = parseValue("number", "10 or 0.5", func(s string) (float64,
		error) {
		return strconv.ParseFloat(s, 64)
	}, reflect.Value.SetFloat)
	durationValue = parseValue("duration", "90s, 30m or 24h", time.ParseDuration,
		func(v reflect.Value, d time.Duration) { v.SetInt(int64(d)) })
)

// parseValue decodes a value with parse. The error contains an example.
func parseValue[T any](what, example string, parse func(string) (T, error),
	set func(reflect.Value, T)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto(what, &text); err != nil {
			return err
		}
		v, err := parse(text)
		if err != nil {
			return fmt.Errorf("“%s” is not a %s; try %s", text, what, example)
		}
		set(target, v)
		return nil
	}
}
