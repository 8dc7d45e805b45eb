package decide

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// portsTried is how many ports are tried, from the first upwards.
const portsTried = 10

// A PortsError is that all ports that were tried are taken.
type PortsError struct{ First, Last int }

// Error names the ports.
func (e *PortsError) Error() string {
	return fmt.Sprintf("the ports %d-%d are taken", e.First, e.Last)
}

// listen takes the first port that is free. On this machine's own address both
// forms of it are taken, since "localhost" may mean either: the link must not
// lead to another program.
func listen(ctx context.Context, bind string, first int) (_ []net.Listener, port int, err error) {
	last := min(first+portsTried-1, 65535)
	for port = first; port <= last; port++ {
		listeners, err := listenAt(ctx, bind, port)
		if err == nil {
			return listeners, port, nil
		}
		if !isTaken(err) {
			return nil, 0, err
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
	}
	return nil, 0, &PortsError{first, last}
}

func listenAt(ctx context.Context, bind string, port int) ([]net.Listener, error) {
	also := ""
	switch bind {
	case "localhost", "127.0.0.1":
		bind, also = "127.0.0.1", "::1"
	case "::1":
		also = "127.0.0.1"
	}
	var config net.ListenConfig
	main, err := config.Listen(ctx, "tcp", net.JoinHostPort(bind, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if also == "" {
		return []net.Listener{main}, nil
	}
	second, err := config.Listen(ctx, "tcp", net.JoinHostPort(also, strconv.Itoa(port)))
	switch {
	case err == nil:
		return []net.Listener{main, second}, nil
	case isTaken(err):
		return nil, errors.Join(err, main.Close())
	}
	return []net.Listener{main}, nil // this machine has only one of them
}
