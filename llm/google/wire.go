package google

import "github.com/go-json-experiment/json/jsontext"

// request is the body of generateContent and streamGenerateContent.
type request struct {
	System     *content         `json:"systemInstruction,omitzero"`
	Contents   []content        `json:"contents"`
	Tools      []tool           `json:"tools,omitzero"`
	Generation generationConfig `json:"generationConfig,omitzero"`
	// Extra are members that the person gave.
	Extra map[string]jsontext.Value `json:",embed"` //nolint:staticcheck // the option is newer than the linter
}

type generationConfig struct {
	Temperature *float64                  `json:"temperature,omitzero"`
	MaxTokens   int                       `json:"maxOutputTokens,omitzero"`
	MIMEType    string                    `json:"responseMimeType,omitzero"`
	Schema      jsontext.Value            `json:"responseJsonSchema,omitzero"`
	Thinking    *thinkingConfig           `json:"thinkingConfig,omitzero"`
	Extra       map[string]jsontext.Value `json:",embed"` //nolint:staticcheck // the option is newer than the linter
}

// thinkingConfig names a level or a budget, never both: that is refused.
type thinkingConfig struct {
	Include bool   `json:"includeThoughts"`
	Level   string `json:"thinkingLevel,omitzero"`  // Gemini 3 and later
	Budget  *int   `json:"thinkingBudget,omitzero"` // Gemini 2.5
}

type content struct {
	Role  string `json:"role,omitzero"` // user or model
	Parts []part `json:"parts"`
}

// A part has one of its members, and what says more about it.
type part struct {
	Text      *string       `json:"text,omitzero"`
	Thought   bool          `json:"thought,omitzero"`
	Signature string        `json:"thoughtSignature,omitzero"`
	Data      *blob         `json:"inlineData,omitzero"`
	File      *file         `json:"fileData,omitzero"`
	Call      *functionCall `json:"functionCall,omitzero"`
	Result    *result       `json:"functionResponse,omitzero"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type file struct {
	MIMEType string `json:"mimeType,omitzero"`
	URI      string `json:"fileUri"`
}

type functionCall struct {
	ID   string         `json:"id,omitzero"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args,omitzero"`
}

type result struct {
	ID       string        `json:"id,omitzero"`
	Name     string        `json:"name"`
	Response functionValue `json:"response"`
}

// functionValue is what a tool gave, under the name that Google's documents
// say models know.
type functionValue struct {
	Output *string `json:"output,omitzero"`
	Error  *string `json:"error,omitzero"`
}

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parametersJsonSchema,omitzero"`
}

// response is one event of the stream, or the whole answer. Fields that are
// not named are ignored.
type response struct {
	Candidates []candidate    `json:"candidates"`
	Feedback   feedback       `json:"promptFeedback"`
	Usage      *usage         `json:"usageMetadata"`
	ID         string         `json:"responseId"`
	Error      jsontext.Value `json:"error"` // in place of all others
}

type candidate struct {
	Index         int    `json:"index"`
	Content       given  `json:"content"`
	FinishReason  string `json:"finishReason"`
	FinishMessage string `json:"finishMessage"`
}

type given struct {
	Role  string      `json:"role"`
	Parts []givenPart `json:"parts"`
}

// givenPart is a part of an answer; its text is kept as it was written, for a
// character may be cut in two.
type givenPart struct {
	Text      jsontext.Value `json:"text"`
	Thought   bool           `json:"thought"`
	Signature string         `json:"thoughtSignature"`
	Call      *functionCall  `json:"functionCall"`
}

// feedback is why a question was not answered at all.
type feedback struct {
	BlockReason string `json:"blockReason"`
	Message     string `json:"blockReasonMessage"`
}

type usage struct {
	Prompt   int `json:"promptTokenCount"` // with the cached ones
	Cached   int `json:"cachedContentTokenCount"`
	Output   int `json:"candidatesTokenCount"` // without the thoughts
	Thoughts int `json:"thoughtsTokenCount"`
	ToolUse  int `json:"toolUsePromptTokenCount"`
	Total    int `json:"totalTokenCount"`
}

// status is a google.rpc.Status.
type status struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Status  string         `json:"status"`
	Details []statusDetail `json:"details"`
}

// statusDetail is any of the details that say something here; Type says which
// it is.
type statusDetail struct {
	Type       string `json:"@type"`
	Reason     string `json:"reason"`     // ErrorInfo
	RetryDelay string `json:"retryDelay"` // RetryInfo, such as "36.5s"
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"` // QuotaFailure
	Fields []struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	} `json:"fieldViolations"` // BadRequest
}
