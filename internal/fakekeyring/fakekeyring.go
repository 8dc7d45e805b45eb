//go:build linux

package fakekeyring

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// ErrNoBus is that the machine has no dbus-daemon.
var ErrNoBus = errors.New("dbus-daemon is not installed")

// Names of the Secret Service.
const (
	service    = "org.freedesktop.secrets"
	root       = dbus.ObjectPath("/org/freedesktop/secrets")
	collection = root + "/aliases/default"
	session    = root + "/session/1"
	noPrompt   = dbus.ObjectPath("/")
)

// secret is a key as it goes over the bus.
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// A Keyring keeps keys while its bus runs.
type Keyring struct {
	// Address is the bus's, for DBUS_SESSION_BUS_ADDRESS.
	Address string

	conn   *dbus.Conn
	daemon *exec.Cmd

	mu    sync.Mutex
	last  int
	items map[dbus.ObjectPath]*item
}

// item is one key; it is an object of the bus.
type item struct {
	keyring    *Keyring
	path       dbus.ObjectPath
	attributes map[string]string
	secret     secret
}

// Start starts a bus with a keyring in a folder; without it the bus has none.
// The folder's path must be short enough for a socket. The bus ends with the
// context at the latest. The error is [ErrNoBus] where there is no program for
// that.
func Start(ctx context.Context, folder string, withKeyring bool) (*Keyring, error) {
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		return nil, ErrNoBus
	}
	k := &Keyring{items: map[dbus.ObjectPath]*item{}}
	k.daemon = exec.CommandContext(ctx, program, "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path="+filepath.Join(folder, "bus"))
	out, err := k.daemon.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := k.daemon.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		k.Close()
		return nil, fmt.Errorf("dbus-daemon gives no address: %w", err)
	}
	k.Address = strings.TrimSpace(line)
	if withKeyring {
		if err := k.serve(); err != nil {
			k.Close()
			return nil, err
		}
	}
	return k, nil
}

// Close ends the bus, and with it what it keeps.
func (k *Keyring) Close() {
	if k.conn != nil {
		_ = k.conn.Close()
	}
	_ = k.daemon.Process.Kill()
	_ = k.daemon.Wait()
}

// Keys are the keys by service and name, parted by a slash.
func (k *Keyring) Keys() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys := map[string]string{}
	for _, it := range k.items {
		keys[it.attributes["service"]+"/"+it.attributes["username"]] = string(it.secret.Value)
	}
	return keys
}

func (k *Keyring) serve() error {
	conn, err := dbus.Connect(k.Address)
	if err != nil {
		return err
	}
	k.conn = conn
	for _, o := range []struct {
		methods map[string]any
		path    dbus.ObjectPath
		face    string
	}{
		{map[string]any{"OpenSession": openSession, "Unlock": unlock}, root, "org.freedesktop.Secret.Service"},
		{map[string]any{"SearchItems": k.search, "CreateItem": k.create}, collection, "org.freedesktop.Secret.Collection"},
		{map[string]any{"Close": func() *dbus.Error { return nil }}, session, "org.freedesktop.Secret.Session"},
	} {
		if err := conn.ExportMethodTable(o.methods, o.path, o.face); err != nil {
			return err
		}
	}
	reply, err := conn.RequestName(service, dbus.NameFlagDoNotQueue)
	if err == nil && reply != dbus.RequestNameReplyPrimaryOwner {
		err = fmt.Errorf("somebody else has the name %s", service)
	}
	return err
}

func openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), session, nil
}

func unlock(paths []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	return paths, noPrompt, nil
}

func (k *Keyring) search(wanted map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := []dbus.ObjectPath{}
	for path, it := range k.items {
		if maps.Equal(it.attributes, wanted) {
			found = append(found, path)
		}
	}
	return found, nil
}

func (k *Keyring) create(properties map[string]dbus.Variant, s secret, replace bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	attributes, ok := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	if !ok {
		return "", "", dbus.MakeFailedError(errors.New("expected attributes of texts"))
	}
	if old, _ := k.search(attributes); replace && len(old) > 0 {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.items[old[0]].secret = s
		return old[0], noPrompt, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	it := &item{keyring: k, path: dbus.ObjectPath(fmt.Sprintf("%s/collection/login/%d", root, k.last)), attributes: attributes, secret: s}
	if err := k.conn.ExportMethodTable(map[string]any{"GetSecret": it.get, "Delete": it.remove}, it.path, "org.freedesktop.Secret.Item"); err != nil {
		return "", "", dbus.MakeFailedError(err)
	}
	k.items[it.path] = it
	return it.path, noPrompt, nil
}

func (i *item) get(dbus.ObjectPath) (secret, *dbus.Error) {
	i.keyring.mu.Lock()
	defer i.keyring.mu.Unlock()
	return i.secret, nil
}

func (i *item) remove() (dbus.ObjectPath, *dbus.Error) {
	i.keyring.mu.Lock()
	defer i.keyring.mu.Unlock()
	delete(i.keyring.items, i.path)
	return noPrompt, nil
}
