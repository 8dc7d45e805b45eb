package protocol

import "github.com/holic512/plugin-ai/schemas"

// A Violation is one place where an answer breaks the language.
type Violation = schemas.Violation
