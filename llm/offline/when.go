package offline

import "time"

// since gives the beginning of the days that a question names.
func (t *turn) since() time.Time {
	y, m, d := t.now.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, t.now.Location())
	monday := midnight.AddDate(0, 0, -(int(midnight.Weekday())+6)%7)
	switch {
	case t.says("yesterday", "yesterday's", "昨天"):
		return midnight.AddDate(0, 0, -1)
	case t.says("last week", "上周"):
		return monday.AddDate(0, 0, -7)
	case t.says("week", "周", "星期"):
		return monday
	}
	return midnight
}

// until gives their end, where it is not now.
func (t *turn) until() (time.Time, bool) {
	switch {
	case t.says("yesterday", "yesterday's", "昨天"):
		return t.since().AddDate(0, 0, 1), true
	case t.says("last week", "上周"):
		return t.since().AddDate(0, 0, 7), true
	}
	return time.Time{}, false
}

// says tells whether the question has one of these words, or of these words in
// a row.
func (t *turn) says(any ...string) bool {
	for i := range t.words {
		for _, s := range any {
			if matchWords(s, t.words[i:]) > 0 {
				return true
			}
		}
	}
	return false
}
