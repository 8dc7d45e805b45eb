package jsonfile

// Apply is what a patch makes of any JSON value.
var Apply = apply

// Equal tells that two checked JSON texts mean the same.
func Equal(a, b []byte) bool {
	x, err := treeOf(a)
	if err != nil {
		return false
	}
	y, err := treeOf(b)
	return err == nil && equal(x, y)
}

// Number is one spelling for all spellings of a number.
var Number = number

// Place is the real path that a path means.
func (e *Editor) Place(path, dir string) (string, error) { return e.place(path, dir) }

// Watch has a function told what was just done.
func (e *Editor) Watch(step func(string)) { e.step = step }
