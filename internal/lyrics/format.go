package lyrics

import (
	"fmt"
	"strings"
	"time"
)

// Format writes lyrics as LRC, or as plain text if they are not synced. The offset is applied to
// the times, because programs disagree about the sign of the tag.
func (l Lyrics) Format() string {
	var b strings.Builder
	for i, line := range l.Lines {
		if l.Synced {
			writeTime(&b, '[', l.Due(i), ']')
		}
		if !l.Synced || len(line.Words) == 0 {
			b.WriteString(line.Text)
		} else {
			for _, w := range line.Words {
				writeTime(&b, '<', max(w.Start-l.Offset, 0), '>')
				b.WriteString(w.Text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// writeTime writes mm:ss.xx, or mm:ss.xxx if two decimals would change the time.
func writeTime(b *strings.Builder, open byte, at time.Duration, end byte) {
	ms := at.Milliseconds()
	minutes, seconds, rest := ms/60_000, ms/1000%60, ms%1000
	if rest%10 == 0 {
		fmt.Fprintf(b, "%c%02d:%02d.%02d%c", open, minutes, seconds, rest/10, end)
		return
	}
	fmt.Fprintf(b, "%c%02d:%02d.%03d%c", open, minutes, seconds, rest, end)
}
