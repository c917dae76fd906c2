package subsonic

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// encoder writes reply objects. An object has fields with values first, then child objects and
// lists; its name is that of a member in JSON and of an element in XML. Each object is described
// once, in terms of these calls, and both formats follow from that.
type encoder struct {
	b   []byte
	xml bool
	// open is whether fields that OpenSubsonic added are written. XML for old versions has none:
	// clients of that time stop at a child element that they do not know.
	open bool

	comma bool     // JSON: a member or an element precedes
	tag   bool     // XML: the start tag of the current element is open
	names []string // XML: of the open elements; lists: of their elements
}

// object begins a child object.
func (e *encoder) object(name string) {
	if e.xml {
		e.element(name)
		return
	}
	e.member(name)
	e.b = append(e.b, '{')
	e.comma = false
}

// end ends an object or an item.
func (e *encoder) end() {
	if !e.xml {
		e.b = append(e.b, '}')
		e.comma = true
		return
	}
	name := e.names[len(e.names)-1]
	e.names = e.names[:len(e.names)-1]
	if e.tag {
		e.b = append(e.b, '/', '>')
		e.tag = false
		return
	}
	e.b = append(e.b, '<', '/')
	e.b = append(e.b, name...)
	e.b = append(e.b, '>')
}

// list begins a list of items with that name.
func (e *encoder) list(name string) {
	if e.xml {
		e.closeTag()
		e.names = append(e.names, name)
		return
	}
	e.member(name)
	e.b = append(e.b, '[')
	e.comma = false
}

// item begins an object in a list.
func (e *encoder) item() {
	if e.xml {
		e.element(e.names[len(e.names)-1])
		return
	}
	if e.comma {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '{')
	e.comma = false
}

// endList ends a list.
func (e *encoder) endList() {
	if e.xml {
		e.names = e.names[:len(e.names)-1]
		return
	}
	e.b = append(e.b, ']')
	e.comma = true
}

// empty writes a list without items.
func (e *encoder) empty(name string) {
	e.list(name)
	e.endList()
}

func (e *encoder) element(name string) {
	e.closeTag()
	e.b = append(e.b, '<')
	e.b = append(e.b, name...)
	e.names = append(e.names, name)
	e.tag = true
}

func (e *encoder) closeTag() {
	if e.tag {
		e.b = append(e.b, '>')
		e.tag = false
	}
}

func (e *encoder) member(name string) {
	if e.comma {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, '"', ':')
	e.comma = true
}

// field begins a field. JSON quotes texts only, XML all values.
func (e *encoder) field(name string, text bool) {
	if !e.xml {
		e.member(name)
		if text {
			e.b = append(e.b, '"')
		}
		return
	}
	if !e.tag {
		panic("subsonic: the field " + name + " follows a child")
	}
	e.b = append(e.b, ' ')
	e.b = append(e.b, name...)
	e.b = append(e.b, '=', '"')
}

func (e *encoder) endField(text bool) {
	if text || e.xml {
		e.b = append(e.b, '"')
	}
}

// str writes a text.
func (e *encoder) str(name, value string) {
	e.field(name, true)
	e.escape(value)
	e.endField(true)
}

// known writes a text unless it is empty.
func (e *encoder) known(name, value string) {
	if value != "" {
		e.str(name, value)
	}
}

// int writes a number.
func (e *encoder) int(name string, value int64) {
	e.field(name, false)
	e.b = strconv.AppendInt(e.b, value, 10)
	e.endField(false)
}

// positive writes a number unless it is 0, which stands for unknown.
func (e *encoder) positive(name string, value int64) {
	if value > 0 {
		e.int(name, value)
	}
}

// float writes a number with a fraction. Infinities and NaN have no form in JSON.
func (e *encoder) float(name string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	e.field(name, false)
	e.b = strconv.AppendFloat(e.b, value, 'f', -1, 64)
	e.endField(false)
}

// bool writes a truth value.
func (e *encoder) bool(name string, value bool) {
	e.field(name, false)
	e.b = strconv.AppendBool(e.b, value)
	e.endField(false)
}

// time writes a time unless it is zero.
func (e *encoder) time(name string, value time.Time) {
	if value.IsZero() {
		return
	}
	e.field(name, true)
	e.b = value.UTC().AppendFormat(e.b, "2006-01-02T15:04:05.000Z")
	e.endField(true)
}

// value writes the text that an object is about: the content of the element in XML.
func (e *encoder) value(text string) {
	if !e.xml {
		e.str("value", text)
		return
	}
	e.closeTag()
	e.escape(text)
}

// text writes a text that is a child element in XML.
func (e *encoder) text(name, value string) {
	if !e.xml {
		e.str(name, value)
		return
	}
	e.element(name)
	e.closeTag()
	e.escape(value)
	e.end()
}

// strings writes a list of texts.
func (e *encoder) strings(name string, values []string) {
	e.list(name)
	for _, value := range values {
		if e.xml {
			e.element(name)
			e.closeTag()
			e.escape(value)
			e.end()
			continue
		}
		if e.comma {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, '"')
		e.escape(value)
		e.b = append(e.b, '"')
		e.comma = true
	}
	e.endList()
}

// ints writes a list of numbers.
func (e *encoder) ints(name string, values ...int64) {
	e.list(name)
	for _, value := range values {
		if e.xml {
			e.element(name)
			e.closeTag()
			e.b = strconv.AppendInt(e.b, value, 10)
			e.end()
			continue
		}
		if e.comma {
			e.b = append(e.b, ',')
		}
		e.b = strconv.AppendInt(e.b, value, 10)
		e.comma = true
	}
	e.endList()
}

// escape appends a text. What the format cannot represent is replaced or left out.
func (e *encoder) escape(s string) {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plain := c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != 0x7f; plain {
				i++
				continue
			}
			e.b = append(e.b, s[start:i]...)
			if e.xml {
				e.escapeXML(c)
			} else {
				e.escapeJSON(c)
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || e.unfit(r) {
			e.b = append(e.b, s[start:i]...)
			e.b = append(e.b, "\uFFFD"...)
			i += size
			start = i
			continue
		}
		i += size
	}
	e.b = append(e.b, s[start:]...)
}

// unfit reports whether a character is not allowed in XML, or ends a line in JavaScript, which
// JSONP is.
func (e *encoder) unfit(r rune) bool {
	return r == 0xFFFE || r == 0xFFFF || !e.xml && (r == '\u2028' || r == '\u2029')
}

func (e *encoder) escapeXML(c byte) {
	switch {
	case c == '<':
		e.b = append(e.b, "&lt;"...)
	case c == '>':
		e.b = append(e.b, "&gt;"...)
	case c == '&':
		e.b = append(e.b, "&amp;"...)
	case c == '"':
		e.b = append(e.b, "&quot;"...)
	case c == '\n':
		e.b = append(e.b, "&#10;"...)
	case c == '\t':
		e.b = append(e.b, "&#9;"...)
	case c >= ' ' && c != 0x7f: // other control characters are left out
		e.b = append(e.b, c)
	}
}

func (e *encoder) escapeJSON(c byte) {
	const digits = "0123456789abcdef"
	switch {
	case c == '"' || c == '\\':
		e.b = append(e.b, '\\', c)
	case c == '\n':
		e.b = append(e.b, '\\', 'n')
	case c == '\t':
		e.b = append(e.b, '\\', 't')
	case c == '<' || c == '>' || c == '&': // nothing in a reply can end a script element
		e.b = append(e.b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	case c >= ' ' && c != 0x7f: // control characters are left out, as in XML
		e.b = append(e.b, c)
	}
}
