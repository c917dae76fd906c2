package cli

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram drops the pages of the program's own file from this process. Those that are still
// used come back from the system's cache one by one, without a read. A part of which any page was
// changed after loading is left alone, because a change cannot come back; what fails stays as it is.
func unmapProgram() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var part [2]uintptr // from and to; to is 0 where it is not ours to drop
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var access string
		if n, _ := fmt.Sscanf(line, "%x-%x %4s", &from, &to, &access); n == 3 {
			part = [2]uintptr{from, to}
			if access[1] == 'w' || !strings.HasSuffix(line, " "+program+"\n") {
				part[1] = 0
			}
		}
		if unchanged := strings.HasPrefix(line, "Anonymous:") && strings.Fields(line)[1] == "0"; unchanged && part[1] != 0 {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, part[0], part[1]-part[0], unix.MADV_DONTNEED)
		}
	}
}
