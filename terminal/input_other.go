//go:build !unix

package terminal

import "context"

func (in *input) wait(ctx context.Context) ([]byte, error) { return in.fromReader(ctx) }
