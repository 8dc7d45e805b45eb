package terminal

import (
	"reflect"
	"regexp"
	"testing"
)

func TestTextsAreComplete(t *testing.T) {
	t.Parallel()
	verb := regexp.MustCompile(`%[a-z%]`)
	en, zh := reflect.ValueOf(*english()), reflect.ValueOf(*chinese())
	for i := range en.NumField() {
		name := en.Type().Field(i).Name
		a, b := en.Field(i).String(), zh.Field(i).String()
		if a == "" || b == "" {
			t.Errorf("%s is missing: %q, %q", name, a, b)
		}
		if !reflect.DeepEqual(verb.FindAllString(a, -1), verb.FindAllString(b, -1)) {
			t.Errorf("%s takes other arguments in Chinese: %q, %q", name, a, b)
		}
	}
}
