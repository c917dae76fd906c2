package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// changing names the system calls that change files, and where their descriptor is checked.
var changing = map[uint64]string{
	syscall.SYS_OPENAT: "openat", syscall.SYS_WRITE: "write", syscall.SYS_PWRITE64: "pwrite64",
	syscall.SYS_RENAME: "rename", syscall.SYS_RENAMEAT: "renameat", 316: "renameat2",
	syscall.SYS_MKDIR: "mkdir", syscall.SYS_MKDIRAT: "mkdirat", syscall.SYS_RMDIR: "rmdir",
	syscall.SYS_UNLINK: "unlink", syscall.SYS_UNLINKAT: "unlinkat", syscall.SYS_LINK: "link",
	syscall.SYS_LINKAT: "linkat", syscall.SYS_FTRUNCATE: "ftruncate", syscall.SYS_FALLOCATE: "fallocate",
	syscall.SYS_FSYNC: "fsync", syscall.SYS_FDATASYNC: "fdatasync", syscall.SYS_FCHMOD: "fchmod",
}

// KillAtCall runs cmd and kills it, as kill -9 does, before its n-th system call that changes a
// file; 0: never. It returns the names of these calls, the last one not executed if killed.
func KillAtCall(t testing.TB, cmd *exec.Cmd, n int) (calls []string, killed bool) {
	t.Helper()
	runtime.LockOSThread() // a process is traced by one thread
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		if os.IsPermission(err) {
			skip(t, "test skipped: needs permission to trace a process: "+err.Error())
		}
		t.Fatal(err)
	}
	calls, killed, err := trace(cmd.Process.Pid, n)
	if err != nil {
		_ = cmd.Process.Kill() // err is the cause
		t.Fatalf("trace a process: %v", err)
	}
	return calls, killed
}

// trace follows all threads of a stopped process until it ends.
func trace(pid, n int) (calls []string, killed bool, err error) {
	const onlyOwn = 0x20000000 // __WNOTHREAD: no children of other threads
	const traceSysGood, killOnExit = 1, 0x100000
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return nil, false, fmt.Errorf("wait for its start: %w", err)
	}
	err = syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|traceSysGood|killOnExit)
	if err != nil {
		return nil, false, fmt.Errorf("set options: %w", err)
	}
	if err := syscall.PtraceSyscall(pid, 0); err != nil {
		return nil, false, fmt.Errorf("continue: %w", err)
	}
	inside := map[int]bool{} // threads between the entry of a call and its return
	for {
		thread, err := syscall.Wait4(-pid, &status, syscall.WALL|onlyOwn, nil) // its process group: no other children
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return calls, killed, fmt.Errorf("wait: %w", err)
		case status.Exited() || status.Signaled():
			if thread == pid {
				return calls, killed, nil
			}
			continue
		}
		signal := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			inside[thread] = !inside[thread]
			if name := changingCall(thread); inside[thread] && name != "" && !killed {
				calls = append(calls, name)
				if killed = len(calls) == n; killed {
					_ = syscall.Kill(pid, syscall.SIGKILL) // the loop ends when it has
					continue
				}
			}
		case sig != syscall.SIGTRAP && sig != syscall.SIGSTOP:
			signal = int(sig)
		}
		_ = syscall.PtraceSyscall(thread, signal) // fails for a thread that was killed
	}
}

// changingCall returns the name of the call that a thread enters, if that changes a file.
func changingCall(thread int) string {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &regs) != nil {
		return ""
	}
	name := changing[regs.Orig_rax]
	switch name {
	case "openat":
		if regs.Rdx&(syscall.O_CREAT|syscall.O_TRUNC) == 0 {
			return ""
		}
	case "write", "pwrite64":
		path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, regs.Rdi))
		if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/dev/") {
			return "" // a pipe, a terminal or an event
		}
	}
	return name
}
