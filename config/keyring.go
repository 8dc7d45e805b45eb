package config

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the name under which the keyring keeps the keys.
const keyringService = "ai"

// keyringTime is how long the keyring may take. It may have to ask the person
// for its password.
const keyringTime = 60 * time.Second

// KeyringSet stores a key in the system's keyring, over one of the same name.
// The error is an [*Error] of the kind ErrCredentials.
func KeyringSet(ctx context.Context, name string, key Secret) error {
	if err := keyringName(name); err != nil {
		return err
	}
	if !isKey(string(key)) {
		return &Error{Kind: ErrCredentials, Message: "expected a key in one line without white space, got " + describe(string(key))}
	}
	_, err := withKeyring(ctx, name, func() (string, error) { return "", keyring.Set(keyringService, name, string(key)) })
	return err
}

// KeyringDelete removes a key from the system's keyring. The error is an
// [*Error] of the kind ErrCredentials.
func KeyringDelete(ctx context.Context, name string) error {
	if err := keyringName(name); err != nil {
		return err
	}
	_, err := withKeyring(ctx, name, func() (string, error) { return "", keyring.Delete(keyringService, name) })
	return err
}

func keyringName(name string) error {
	if _, err := ParseKeyRef(keyringScheme + name); err != nil {
		return &Error{Kind: ErrUsage, Message: "expected " + err.Error() + ", got another name"}
	}
	return nil
}

func keyringGet(ctx context.Context, name string) (string, error) {
	return withKeyring(ctx, name, func() (string, error) { return keyring.Get(keyringService, name) })
}

// keyringAdvice is what to do without a keyring.
const keyringAdvice = "use env:NAME or cmd:PROGRAM ARGS for the key"

// KeyringAvailable tells, without asking it, why there is no keyring: an
// [*Error] of the kind ErrCredentials; nil where there may be one.
func KeyringAvailable() error {
	if err := keyringReachable(); err != nil {
		return &Error{Kind: ErrCredentials, Message: "there is no keyring here: " + err.Error(), Advice: keyringAdvice, Err: err}
	}
	return nil
}

// withKeyring asks the keyring, which knows no time limit of its own.
func withKeyring(ctx context.Context, name string, ask func() (string, error)) (string, error) {
	if err := KeyringAvailable(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, keyringTime)
	defer cancel()
	type answer struct {
		key string
		err error
	}
	done := make(chan answer, 1)
	go func() {
		key, err := ask()
		done <- answer{key, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = fmt.Errorf("it did not answer within %s: %w", keyringTime, ctx.Err())
	}
	switch {
	case a.err == nil:
		return a.key, nil
	case errors.Is(a.err, keyring.ErrNotFound):
		return "", &Error{Kind: ErrCredentials, Message: "the keyring has no key " + quote(name), Advice: "store it with `ai model key NAME`", Err: a.err}
	}
	return "", &Error{Kind: ErrCredentials, Message: "the keyring cannot be asked: " + a.err.Error(), Advice: keyringAdvice, Err: a.err}
}
