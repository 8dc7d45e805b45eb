package session

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Ids of entries are 8 hexadecimal digits. They look random and are a row: the
// number of an id in the row is known from the id. So a new one, which must
// not be in the session yet, is the one behind the highest there is, and no
// other need be looked at.

// idFactor is odd, so that multiplying with it has an inverse modulo 2^32.
const (
	idFactor  uint32 = 0x9E3779B1
	idInverse uint32 = 0x0E8B2F51
	idMask    uint32 = 0x5bd1e995
)

// entryID gives the id at a place of the row.
func entryID(seq uint32) string {
	v := seq * idFactor
	v ^= v >> 16
	v *= idFactor
	return fmt.Sprintf("%08x", v^idMask)
}

// sequence gives the place of an id in the row; not ok is another sort of id.
func sequence(id string) (seq uint32, ok bool) {
	if len(id) != 8 {
		return 0, false
	}
	n, err := strconv.ParseUint(id, 16, 32)
	if err != nil || notOfRow(id) {
		return 0, false
	}
	v := (uint32(n) ^ idMask) * idInverse
	v ^= v >> 16
	return v * idInverse, true
}

// notOfRow reports whether an id of 8 digits is spelled as none of ours is.
func notOfRow(id string) bool {
	for _, c := range id {
		if c >= 'A' && c <= 'F' || c == '+' {
			return true
		}
	}
	return false
}

// lineID is the id of an entry that has none.
func lineID(number int) string { return "line" + strconv.Itoa(number) }

// count gives a line without an id that of its number.
func (l *Line) count() {
	if l.ID == "" {
		l.ID, l.counted = lineID(l.Number), true
	}
}

// random gives n random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// newSessionID gives an id for a session.
func newSessionID() string { return hex.EncodeToString(random(8)) }

// newSequence gives a place to begin a row at, with room behind it.
func newSequence() uint32 { return binary.LittleEndian.Uint32(random(4)) >> 2 }

// rowEnd is the last place of the row that is given out without a look at all
// ids there are.
const rowEnd = ^uint32(0) - 1<<20
