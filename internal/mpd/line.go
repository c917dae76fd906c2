package mpd

import "strings"

// maxArgs limits the arguments of one command.
const maxArgs = 512

// parseLine splits a line into a command and its arguments. Arguments are separated by white space;
// a quoted one may contain any character, with a backslash before quotes and backslashes.
func parseLine(line string) (command string, args []string, err error) {
	rest := strings.TrimRight(line, " \t\r")
	end := 0
	for end < len(rest) && rest[end] != ' ' && rest[end] != '\t' {
		if c := rest[end]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && (end == 0 || c < '0' || c > '9') {
			return "", nil, ack(codeUnknown, "Invalid word character")
		}
		end++
	}
	command, rest = rest[:end], rest[end:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return command, args, nil
		}
		if len(args) == maxArgs {
			return "", nil, ack(codeArg, "Too many arguments")
		}
		var arg string
		if rest[0] == '"' {
			arg, rest, err = quoted(rest[1:])
		} else {
			arg, rest, err = unquoted(rest)
		}
		if err != nil {
			return "", nil, err
		}
		args = append(args, arg)
	}
}

// quoted reads an argument up to its closing quote.
func quoted(s string) (arg, rest string, err error) {
	var b strings.Builder
	escaped := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if !escaped {
				escaped = true
				b.Grow(len(s))
				b.WriteString(s[:i])
			}
			i++
			if i == len(s) {
				return "", "", ack(codeUnknown, "Missing closing '\"'")
			}
			b.WriteByte(s[i])
		case c == '"':
			rest = s[i+1:]
			if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return "", "", ack(codeUnknown, "Space expected after closing '\"'")
			}
			if !escaped {
				return s[:i], rest, nil
			}
			return b.String(), rest, nil
		case escaped:
			b.WriteByte(c)
		}
	}
	return "", "", ack(codeUnknown, "Missing closing '\"'")
}

// unquoted reads an argument up to the next space.
func unquoted(s string) (arg, rest string, err error) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			return s[:i], s[i:], nil
		case c < ' ' || c == '"' || c == '\'':
			return "", "", ack(codeUnknown, "Invalid unquoted character")
		}
	}
	return s, "", nil
}
