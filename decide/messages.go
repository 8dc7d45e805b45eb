package decide

import (
	"fmt"
	"strings"
)

// A Language is one that the program and the page speak.
type Language string

// The languages. Chinese is the document's, and its texts are the document's
// own.
const (
	Chinese Language = "zh"
	English Language = "en"
)

// Message says what is wrong: the field, what was expected, what was there.
func (p Problem) Message(language Language) string {
	if language == English {
		return p.english()
	}
	return p.chinese()
}

func (p Problem) chinese() string {
	at := p.Path
	if at == "" {
		at = "顶层"
	}
	got := "当前为 " + p.Got
	switch {
	case p.Kind == kindArray:
		got = "当前为数组"
	case p.Kind == kindObject:
		got = "当前为对象"
	case p.Got == "":
		got = "当前缺失"
	}
	must := func(what string) string { return fmt.Sprintf("%s 必须是%s,%s", at, what, got) }
	switch p.Rule {
	case RuleObject:
		return must("对象")
	case RuleText:
		return must("非空字符串")
	case RuleString:
		return must("字符串或 null")
	case RuleItems:
		return must("数组,至少包含 1 个待定项")
	case RuleFewItems:
		return fmt.Sprintf("%s 至少需要 1 个待定项,当前只有 %d 个", at, p.N)
	case RuleOptions:
		return must("数组,至少包含 2 个选项")
	case RuleFewOptions:
		return fmt.Sprintf("%s 至少需要 2 个选项,当前只有 %d 个", at, p.N)
	case RuleID:
		return must("正整数")
	case RuleLine:
		return must("非负整数")
	case RuleUniqueID:
		return fmt.Sprintf("%s 值 %s 重复,必须在 items 中唯一", at, p.Got)
	case RuleUnique:
		return fmt.Sprintf("%s 值 %s 重复,必须在同一待定项的 options 中唯一", at, p.Got)
	case RuleRecommend:
		return fmt.Sprintf("%s 值 %s 不在 options 中", at, p.Got)
	case RuleScore:
		return must(" 0-100 之间的数字或 null")
	case RuleStrings:
		return must("字符串数组或 null")
	case RuleElement:
		return must("字符串")
	case RuleField:
		return fmt.Sprintf("%s 不是已知字段,可用字段: %s", at, p.Also)
	}
	return at + " 无效"
}

func (p Problem) english() string {
	at := p.Path
	if at == "" {
		at = "the top level"
	}
	got := "got " + p.Got
	switch {
	case p.Kind == kindArray:
		got = "got an array"
	case p.Kind == kindObject:
		got = "got an object"
	case p.Got == "":
		got = "it is missing"
	}
	must := func(what string) string { return fmt.Sprintf("%s must be %s, %s", at, what, got) }
	switch p.Rule {
	case RuleObject:
		return must("an object")
	case RuleText:
		return must("a string that is not empty")
	case RuleString:
		return must("a string or null")
	case RuleItems:
		return must("an array of at least 1 item")
	case RuleFewItems:
		return fmt.Sprintf("%s needs at least 1 item, got %d", at, p.N)
	case RuleOptions:
		return must("an array of at least 2 options")
	case RuleFewOptions:
		return fmt.Sprintf("%s needs at least 2 options, got %d", at, p.N)
	case RuleID:
		return must("a positive whole number")
	case RuleLine:
		return must("a whole number of 0 or more")
	case RuleUniqueID:
		return fmt.Sprintf("%s: %s is there already, it must be unique in items", at, p.Got)
	case RuleUnique:
		return fmt.Sprintf("%s: %s is there already, it must be unique in the item's options", at, p.Got)
	case RuleRecommend:
		return fmt.Sprintf("%s: %s is not among the options", at, p.Got)
	case RuleScore:
		return must("a number from 0 to 100 or null")
	case RuleStrings:
		return must("an array of strings or null")
	case RuleElement:
		return must("a string")
	case RuleField:
		return fmt.Sprintf("%s is no field that there is; there are: %s", at, p.Also)
	}
	return at + " is not valid"
}

// Advice says what to do about it.
func (p Problem) Advice(language Language) string {
	type texts struct{ zh, en string }
	t := texts{"检查必填字段是否完整", "check that all required fields are there"}
	switch p.Rule {
	case RuleFewOptions:
		t = texts{"为每个待定项提供至少 2 个可选方案", "give every item at least 2 options"}
	case RuleRecommend:
		t = texts{"recommend 必须是 options 中某个选项的 value", "recommend must be the value of one of the options"}
	case RuleUniqueID:
		t = texts{"为每个待定项使用不同的 id", "give every item an id of its own"}
	case RuleUnique:
		t = texts{"为同一待定项的每个选项使用不同的 value", "give every option of an item a value of its own"}
	case RuleField:
		t = texts{"检查字段名是否正确,或删除该字段", "correct the name of the field, or leave it out"}
	case RuleObject, RuleText, RuleString, RuleItems, RuleFewItems, RuleOptions, RuleID, RuleLine, RuleScore, RuleStrings, RuleElement:
	}
	if language == English {
		return t.en
	}
	return t.zh
}

// Detail says what is wrong with a text that is no JSON.
func (e *SyntaxError) Detail(language Language) string {
	path := visible(strings.TrimPrefix(string(e.Path), "/"))
	if language == English {
		what := map[SyntaxKind]string{
			SyntaxCut: "it ends too early", SyntaxDuplicate: "the field " + path + " is there twice", SyntaxUTF8: "it is no UTF-8",
			SyntaxNumber: "a number is too large", SyntaxTooLarge: fmt.Sprintf("it is larger than %d MiB", MaxInputBytes>>20), SyntaxOther: visible(e.Err.Error()),
		}[e.Kind]
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, what)
	}
	what := map[SyntaxKind]string{
		SyntaxCut: "内容不完整", SyntaxDuplicate: "字段 " + path + " 重复", SyntaxUTF8: "不是有效的 UTF-8",
		SyntaxNumber: "数字超出范围", SyntaxTooLarge: fmt.Sprintf("超过 %d MiB", MaxInputBytes>>20), SyntaxOther: visible(e.Err.Error()),
	}[e.Kind]
	return fmt.Sprintf("第 %d 行第 %d 列: %s", e.Line, e.Column, what)
}
