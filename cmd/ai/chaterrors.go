package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/terminal"
)

// chineseError is an error with its words in Chinese. What another program or
// package says within them stays as it is.
type chineseError struct {
	error
	words, advice string // "" is the English advice
}

func (e *chineseError) Unwrap() error { return e.error }

// chinese adds to what went wrong its words in Chinese.
func chinese(err error, words, advice string) error {
	return &chineseError{err, words, advice}
}

// spokenError is an error that is told in Chinese.
type spokenError struct{ *chineseError }

func (e *spokenError) Error() string { return e.words }

// spoken gives an error in the language that the program speaks: the one of
// the settings, where they could be read, else that of the environment.
func (a *app) spoken(err error, settings *config.Settings) error {
	var c *chineseError
	if !errors.As(err, &c) {
		return err
	}
	language, _ := config.Language(a.getenv, "", config.FromDefault)
	if settings != nil {
		language = settings.Speak
	}
	if terminal.Language(language) != terminal.Chinese {
		return err
	}
	code, advice := codeOfError(err)
	if c.advice != "" {
		advice = c.advice
	}
	return &failure{code, &spokenError{&chineseError{err, c.words, ""}}, advice}
}

// languageOf is the language that an error is told in.
func languageOf(err error) terminal.Language {
	var c *spokenError
	if errors.As(err, &c) {
		return terminal.Chinese
	}
	return terminal.English
}

// chatMisused is a wrong use of the flags of `ai chat`.
func chatMisused(cmd *cobra.Command, err error, words string) error {
	return usage(chinese(err, words, "用法："+cmd.UseLine()), misused(cmd))
}

// chatExclude refuses two flags that exclude each other.
func chatExclude(cmd *cobra.Command, a, b string) error {
	if err := exclude(cmd, [2]string{a, b}); err != nil {
		return chatMisused(cmd, err, fmt.Sprintf("--%s 与 --%s 不能同时使用", a, b))
	}
	return nil
}
