package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// machineCalls are calls that only this architecture has.
func machineCalls() []uintptr { return []uintptr{unix.SYS_KEXEC_FILE_LOAD} }

func machineAttributeCalls() []uintptr { return nil }
