// Package sandbox puts a step's program behind a wall that the kernel keeps:
// what may be read and changed, who may be spoken to, how much may be used.
// It decides nothing; a [Profile] says what a step may.
//
// Start with [New] and [Sandbox.Start]. [Detect] says what this machine can
// enforce. [Sandbox.Explain] says in words what the wall stopped.
//
// # On Linux
//
// Landlock rules say which files, seccomp which system calls; no_new_privs
// makes setuid programs ordinary ones; privileges of root that reach around
// files are dropped; resource limits are set before the program's first
// instruction; the program dies with this process.
//
// All of these but the limits belong to a thread and are inherited by what it
// starts. So each step is started from a thread of its own, inside this
// process, which enters the wall, forks, and ends with the step. The thread is
// locked to one goroutine that never unlocks it: the runtime then runs nothing
// else on it, never clones new threads from it, and destroys it at the end.
// The filter lists what is refused, so all that the runtime needs is allowed.
// Entering in a fresh process of the same program would cost several
// milliseconds for the start of that process; the thread costs a fraction of
// one (see BenchmarkStart). Nothing of ours runs between fork and exec, and
// the program sees exactly its own arguments and environment.
//
// Limits belong to a process. The program is therefore started traced, stands
// still at its first instruction, gets its limits, and is let go. Where
// tracing is not allowed it gets them immediately after its start.
//
// The kernel is called through x/sys/unix. The known Landlock package
// restricts all threads of a process, and its part for single calls brings C
// code into builds with cgo. The known seccomp package lets system calls of
// foreign architectures pass unchecked, and builds tables at each start of the
// program for longer than a step costs.
//
// # Secret places
//
// Landlock allows by path and cannot subtract. So everything is allowed except
// the folders above a secret place, in which each other entry is allowed by
// itself (see [Config.Secret]). What is created directly in such a folder can
// be read by steps that start afterwards, not by those that run. A folder on
// the way to a place of which not even the beginning exists is not divided
// until it changes; a step that runs just then may read the new place. Names
// in secret folders can be listed; their content cannot be read.
//
// # Terminals
//
// What is open at the start can be used, so a step whose streams are a terminal
// can read, draw, set modes and ask for the size. [Profile.Terminal] allows to
// open that one terminal again by its name, as node and others do; other
// terminals stay shut. Nobody may put keys into a terminal's input (TIOCSTI).
//
// # What is not enforced
//
//   - Without write access: times, modes, owners and attributes are refused
//     everywhere, in the scratch folder too. With write access to some folder
//     they may be changed wherever the user may, since the kernel has no rule
//     for them by path.
//   - Memory, file size and CPU time are limited for each process, not for
//     the step. The number of processes is counted for the user, and not at
//     all for root. Disk space is limited for each file only.
//   - Where the program is allowed the network, it may speak to every host.
//   - File locks and stat work on everything.
//   - When this process is killed, the step's program dies; processes that it
//     started do not.
//   - Bind mounts and hard links of secret files are other files.
//
// On macOS the same profiles are written for sandbox-exec. Elsewhere there is
// no sandbox, and Start refuses.
package sandbox
