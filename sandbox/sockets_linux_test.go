//go:build amd64 || arm64

package sandbox_test

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

// perl runs a script that has Socket, dies where something is refused, and
// says "done" at its end.
func perl(t testing.TB, s *sandbox.Sandbox, p sandbox.Profile, script string, args ...string) outcome {
	t.Helper()
	path, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("there is no perl")
	}
	return run(t, s, p, exec.CommandContext(t.Context(), path, append([]string{"-MSocket", "-e", script + `; print "done";`}, args...)...))
}

func TestSockets(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tcp.Close() })
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = udp.Close() })
	path := filepath.Join(t.TempDir(), "s")
	unixSocket, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unixSocket.Close() })
	datagrams, err := net.ListenPacket("unixgram", path+"d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	abstract, err := net.Listen("unix", "@"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = abstract.Close() })
	tcpPort, udpPort := tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port

	const address = `sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))`
	local := sandbox.Profile{LocalSockets: true}
	network := sandbox.ReadOnly().WithNetwork()
	both := sandbox.Profile{LocalSockets: true, Network: true}
	none := sandbox.ReadOnly()
	for name, c := range map[string]struct {
		script  string
		arg     any
		allowed []sandbox.Profile
	}{
		"TCP":            {`socket(S,PF_INET,SOCK_STREAM,0) or die "socket: $!"; connect(S,` + address + `) or die $!`, tcpPort, []sandbox.Profile{network, both}},
		"TCP, listening": {`socket(S,PF_INET,SOCK_STREAM,0) or die "socket: $!"; bind(S,sockaddr_in(0,INADDR_LOOPBACK)) or die $!; listen(S,1) or die`, 0, []sandbox.Profile{network, both}},
		"UDP":            {`socket(S,PF_INET,SOCK_DGRAM,0) or die "socket: $!"; send(S,"x",0,` + address + `) or die $!`, udpPort, []sandbox.Profile{network, both}},
		"IPv6":           {`socket(S,PF_INET6,SOCK_STREAM,0) or die "socket: $!"`, 0, []sandbox.Profile{network, both}},
		"IPv6 UDP":       {`socket(S,PF_INET6,SOCK_DGRAM,0) or die "socket: $!"`, 0, []sandbox.Profile{network, both}},
		"raw":            {`socket(S,PF_INET,SOCK_RAW,1) or die "socket: $!"`, 0, nil},
		"packet":         {`socket(S,17,SOCK_RAW,768) or die "socket: $!"`, 0, nil},
		"vsock":          {`socket(S,40,SOCK_STREAM,0) or die "socket: $!"`, 0, nil},
		"alg":            {`socket(S,38,SOCK_SEQPACKET,0) or die "socket: $!"`, 0, nil},
		"netlink audit":  {`socket(S,16,SOCK_RAW,9) or die "socket: $!"`, 0, nil},
		"netlink events": {`socket(S,16,SOCK_RAW,15) or die "socket: $!"`, 0, nil},
		"netlink routes": {`socket(S,16,SOCK_RAW,0) or die "socket: $!"`, 0, []sandbox.Profile{none, network, local, both}},
		"unix":           {`socket(S,PF_UNIX,SOCK_STREAM,0) or die "socket: $!"; connect(S,pack_sockaddr_un($ARGV[0])) or die $!`, path, []sandbox.Profile{local, both}},
		"unix, listening": {`socket(S,PF_UNIX,SOCK_STREAM,0) or die "socket: $!"; bind(S,pack_sockaddr_un("$ENV{TMPDIR}/x")) or die $!`, 0,
			[]sandbox.Profile{local, both}},
		"unix datagram": {`socket(S,PF_UNIX,SOCK_DGRAM,0) or die "socket: $!"; send(S,"x",0,pack_sockaddr_un($ARGV[0])) or die $!`, path + "d", []sandbox.Profile{local, both}},
		"abstract":      {`socket(S,PF_UNIX,SOCK_STREAM,0) or die "socket: $!"; connect(S,pack_sockaddr_un("\0$ARGV[0]")) or die $!`, path, []sandbox.Profile{local, both}},
		"pair":          {`socketpair(A,B,PF_UNIX,SOCK_STREAM,0) or die $!`, 0, []sandbox.Profile{none, network, local, both}},
		"pair datagram": {`socketpair(A,B,PF_UNIX,SOCK_DGRAM,0) or die $!; send(A,"x",0,pack_sockaddr_un($ARGV[0])) or die $!`, path + "d", []sandbox.Profile{local, both}},
		"pair other":    {`socketpair(A,B,30,SOCK_SEQPACKET,0) or die $!`, 0, nil},
	} {
		for _, p := range []sandbox.Profile{none, network, local, both} {
			want := false
			for _, a := range c.allowed {
				want = want || a.String() == p.String()
			}
			got := perl(t, s, p, c.script, fmt.Sprint(c.arg))
			if want && strings.Contains(got.stderr, "Address family not supported") {
				continue
			}
			if (got.stdout == "done") != want {
				t.Errorf("%s, %v: %+v", name, p, got)
			}
		}
	}
}
