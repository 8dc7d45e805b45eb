package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"os"
	"strings"
)

// The index of a session is a head and one record for each entry, in the
// order of the file. It is beside the file, or in memory where it cannot be
// written. It is only ever a copy of what the file says: whatever does not
// fit makes it anew.

// indexMagic is changed with everything that is laid out here.
const indexMagic = "aiindex1"

// errIndex says that an index does not fit its file.
var errIndex = errors.New("the index does not fit the file")

// A head says what the index covers, and what a list of sessions shows.
type head struct {
	Magic      [8]byte
	Size       int64 // of the file
	Modified   int64 // of the file, in nanoseconds
	LastOffset int64 // of the last entry
	LastLength uint32
	LastSum    uint32 // CRC-32 of the last entry
	Count      uint32 // of entries
	Lines      uint32 // of the file, all of them
	Problems   uint32 // how many a reader has to be told
	Kinds      [5]uint32
	MaxSeq     uint32    // the highest place of an id in the row of ids
	Name       [200]byte // of the session
	First      [200]byte // words of the user
	Sum        uint32    // CRC-32 of all above
}

// A record is one entry.
type record struct {
	ID       uint64 // hash of its id
	Offset   int64
	Length   uint32
	Number   uint32 // of the line
	Parent   uint32 // number of the parent's record, from 1; 0 is none
	Mark     uint32 // the newest entry of its branch that is no message, from 1
	Messages uint32 // on its branch
	Kind     uint8
	Guessed  bool // the parent is the entry before, because none (or no good one) is named
	_        [2]byte
	Sum      uint32 // CRC-32 of all above
}

// The kinds of entries.
const (
	kindSystem uint8 = iota
	kindUser
	kindAssistant
	kindTool
	kindOther
)

const (
	headSize   = 8 + 3*8 + 5*4 + 5*4 + 4 + 200 + 200 + 4
	recordSize = 8 + 8 + 5*4 + 4 + 4
)

func kindOf(l Line) uint8 {
	switch l.Role {
	case System:
		return kindSystem
	case User:
		return kindUser
	case Assistant:
		return kindAssistant
	case Tool:
		return kindTool
	default:
		return kindOther
	}
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // it cannot fail
	return h.Sum64()
}

// encode writes a head or a record with its sum, which is its end.
func encode(dst []byte, v any) []byte {
	start := len(dst)
	dst, err := binary.Append(dst, binary.LittleEndian, v)
	if err != nil {
		panic(err) // the types have fixed sizes
	}
	end := len(dst) - 4
	binary.LittleEndian.PutUint32(dst[end:], crc32.ChecksumIEEE(dst[start:end]))
	return dst
}

// summed reports whether bytes end with their sum.
func summed(b []byte) bool {
	end := len(b) - 4
	return crc32.ChecksumIEEE(b[:end]) == binary.LittleEndian.Uint32(b[end:])
}

// decode reads what encode wrote.
func decode(b []byte, v any) error {
	if !summed(b) {
		return errIndex
	}
	_, err := binary.Decode(b, binary.LittleEndian, v)
	return err
}

// index is the index of one session.
type index struct {
	head
	file *os.File // where the records are; nil is in mem
	mem  []byte

	cache   []byte // some records of the file; records never change
	cacheAt int64  // which
}

func newIndex() *index {
	x := &index{}
	copy(x.Magic[:], indexMagic)
	return x
}

// loadIndex reads the index of a file, and checks that it fits. With write it
// can be added to.
func loadIndex(path string, f *file, write bool) (*index, error) {
	flags := os.O_RDONLY
	if write {
		flags = os.O_RDWR
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errIndex, err)
	}
	x := &index{}
	var err error
	if x.file, err = os.OpenFile(path, flags|openFlags, 0); err != nil {
		return nil, err
	}
	if err := x.fits(f); err != nil {
		return nil, errors.Join(err, x.file.Close())
	}
	return x, nil
}

func (x *index) fits(f *file) error {
	b := make([]byte, headSize)
	if _, err := x.file.ReadAt(b, 0); err != nil {
		return err
	}
	if err := decode(b, &x.head); err != nil {
		return err
	}
	own, err := x.file.Stat()
	if err != nil {
		return err
	}
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	if string(x.Magic[:]) != indexMagic || x.Size != info.Size() || x.Modified != info.ModTime().UnixNano() ||
		own.Size() < headSize+int64(x.Count)*recordSize || x.LastLength > MaxLine {
		return errIndex
	}
	if x.Count == 0 {
		return nil
	}
	last, err := f.read(x.LastOffset, x.LastLength)
	if err != nil {
		return err
	}
	if crc32.ChecksumIEEE(last) != x.LastSum {
		return errIndex
	}
	return nil
}

// cached is how many bytes of records are read at once.
const cached = 256 * recordSize

// raw gives the bytes of a record, counted from 1, until the next call.
func (x *index) raw(n uint32) ([]byte, error) {
	if n == 0 || n > x.Count {
		return nil, fmt.Errorf("record %d of %d: %w", n, x.Count, errIndex)
	}
	offset := int64(n-1) * recordSize
	if x.file == nil {
		return x.mem[offset : offset+recordSize], nil
	}
	if offset < x.cacheAt || offset+recordSize > x.cacheAt+int64(len(x.cache)) {
		// Walks go both ways from here.
		from := max(0, offset-cached/2)
		b := make([]byte, min(cached, int64(x.Count)*recordSize-from))
		if _, err := x.file.ReadAt(b, headSize+from); err != nil {
			return nil, errors.Join(errIndex, err)
		}
		x.cache, x.cacheAt = b, from
	}
	return x.cache[offset-x.cacheAt:][:recordSize], nil
}

// at gives the record of an entry, counted from 1.
func (x *index) at(n uint32) (r record, err error) {
	b, err := x.raw(n)
	if err != nil {
		return r, err
	}
	if err := decode(b, &r); err != nil {
		return r, err
	}
	if r.Parent >= n || r.Mark > n || r.Length > MaxLine {
		return r, errIndex
	}
	return r, nil
}

// add makes the record of the next entry, after the parent's. It is not
// written yet: what it gives is for commit.
func (x *index) add(l Line, parent uint32, above record, guessed bool) record {
	x.Count++
	r := record{
		ID: hashID(l.ID), Offset: l.Offset, Length: uint32(len(l.raw)), Number: uint32(l.Number),
		Parent: parent, Mark: above.Mark, Messages: above.Messages, Kind: kindOf(l), Guessed: guessed,
	}
	if r.Kind == kindOther {
		r.Mark = x.Count
	} else {
		r.Messages++
	}
	x.Kinds[r.Kind]++
	if name, ok := nameOf(l); ok {
		x.Name = [200]byte{}
		copy(x.Name[:], shorten(name, len(x.Name)))
	}
	if r.Kind == kindUser && x.First[0] == 0 {
		copy(x.First[:], shorten(firstWords(l), len(x.First)))
	}
	if seq, ok := sequence(l.ID); ok && seq > x.MaxSeq {
		x.MaxSeq = seq
	}
	x.LastOffset, x.LastLength, x.LastSum = r.Offset, r.Length, crc32.ChecksumIEEE(l.raw)
	return r
}

// commit writes the records that add made last, when the file has their
// lines. An index that cannot be written goes on in memory.
func (x *index) commit(f *file, recs []record) error {
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	x.Size, x.Modified = info.Size(), info.ModTime().UnixNano()
	var b []byte
	for _, r := range recs {
		b = encode(b, r)
	}
	if x.file != nil {
		at := int64(x.Count-uint32(len(recs))) * recordSize
		_, err := x.file.WriteAt(b, headSize+at)
		if err == nil {
			_, err = x.file.WriteAt(encode(nil, x.head), 0)
		}
		if err == nil {
			return nil
		}
		if err := x.toMemory(at); err != nil {
			return err
		}
	}
	x.mem = append(x.mem, b...)
	return nil
}

// toMemory goes on without a file, with the first bytes of its records.
func (x *index) toMemory(n int64) error {
	mem := make([]byte, n)
	if _, err := x.file.ReadAt(mem, headSize); n > 0 && err != nil {
		return errors.Join(errIndex, err)
	}
	x.Close()
	x.mem, x.file = mem, nil
	return nil
}

// save puts an index that is in memory beside the file. Where that cannot be
// done it stays in memory.
func (x *index) save(path string) {
	if x.file != nil {
		return
	}
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_RDWR|os.O_CREATE|os.O_TRUNC|openFlags, 0o600)
	if err != nil {
		return
	}
	_, err = f.Write(append(encode(nil, x.head), x.mem...))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		_ = os.Remove(next) // what cannot be written may not be removable either
		return
	}
	if f, err = os.OpenFile(path, os.O_RDWR|openFlags, 0); err == nil {
		x.file, x.mem = f, nil
	}
}

// Close closes the index. It needs no care: the next one who opens it checks.
func (x *index) Close() {
	if x.file != nil {
		_ = x.file.Close()
	}
}

// find gives the newest record with the hash of an id for which is says yes,
// counted from 1; 0 is none.
func (x *index) find(hash uint64, is func(n uint32) (bool, error)) (uint32, error) {
	for n := x.Count; n > 0; n-- {
		b, err := x.raw(n)
		if err != nil {
			return 0, err
		}
		if !summed(b) {
			return 0, errIndex
		}
		if binary.LittleEndian.Uint64(b) != hash {
			continue
		}
		if yes, err := is(n); yes || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// cString gives the text in a field of fixed size.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// firstWords gives the beginning of a message as one line.
func firstWords(l Line) string {
	return strings.Join(strings.Fields(shorten(strings.ReplaceAll(l.Text(), "\x00", ""), 1000)), " ")
}

// nameOf gives the name that an entry gives the session.
func nameOf(l Line) (string, bool) {
	if l.Role != "" || l.Type != TypeName && l.Type != typePiInfo {
		return "", false
	}
	return strings.ReplaceAll(l.FieldText("name"), "\x00", ""), true
}
