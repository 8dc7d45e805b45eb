//go:build !unix

package session_test

func systemRoles() map[string]roleFunc { return map[string]roleFunc{} }
