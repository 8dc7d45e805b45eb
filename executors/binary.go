package executors

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// isBinary tells whether b, the kept bytes of a stream, is no text: it has NUL
// bytes that do not part records, or a large share of it is not UTF-8 or is
// control bytes.
func isBinary(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if bytes.IndexByte(b, 0) >= 0 && !nulRecords(b) {
		return true
	}
	bad, size := 0, len(b)
	for len(b) > 0 {
		if n := plainPrefix(b); n > 0 {
			b = b[n:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case r < 0x20 && r != 0 && r != '\n' && r != '\r' && r != '\b' && r != '\f' && r != '\a' && r != 0x1b:
			bad++
		}
		b = b[n:]
	}
	return bad*10 > size*3
}

// nulRecords tells whether NUL bytes end records of text, as git -z and
// find -print0 write them.
func nulRecords(b []byte) bool {
	n := bytes.Count(b, []byte{0})
	return n > 0 && n*3 <= len(b) && !bytes.Contains(b, []byte{0, 0}) && b[0] != 0 && utf8.Valid(trimPartialRunes(b))
}

// trimPartialRunes takes off what is left of characters that were cut in half
// at either end.
func trimPartialRunes(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// describeBinary says what binary output was. head is its beginning.
func describeBinary(head []byte, total int64) string {
	text := "[binary output, " + thousands(total) + " bytes"
	if kind := binaryKind(head); kind != "" {
		text += ", looks like " + kind
	}
	return text + "]"
}

func binaryKind(head []byte) string {
	for _, k := range [...]struct {
		at          int
		magic, kind string
	}{
		{0, "\x89PNG\r\n\x1a\n", "PNG"},
		{0, "\xff\xd8\xff", "JPEG"},
		{0, "GIF8", "GIF"},
		{8, "WEBP", "WebP"},
		{0, "%PDF-", "PDF"},
		{0, "PK\x03\x04", "ZIP"},
		{0, "\x1f\x8b", "gzip"},
		{0, "\xfd7zXZ\x00", "xz"},
		{0, "BZh", "bzip2"},
		{0, "\x28\xb5\x2f\xfd", "zstd"},
		{0, "7z\xbc\xaf\x27\x1c", "7-Zip"},
		{257, "ustar", "tar"},
		{0, "\x7fELF", "an ELF program"},
		{0, "MZ", "a Windows program"},
		{0, "\xcf\xfa\xed\xfe", "a Mach-O program"},
		{0, "\xca\xfe\xba\xbe", "a Java class or Mach-O program"},
		{0, "\x00asm", "WebAssembly"},
		{0, "SQLite format 3\x00", "SQLite"},
		{4, "ftyp", "MP4"},
		{0, "OggS", "Ogg"},
		{0, "ID3", "MP3"},
		{0, "fLaC", "FLAC"},
		{0, "\xff\xfe", "UTF-16 text"},
		{0, "\xfe\xff", "UTF-16 text"},
	} {
		if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			return k.kind
		}
	}
	if len(head) > 0 && len(bytes.Trim(head, "\x00")) == 0 {
		return "zero bytes"
	}
	return ""
}

// thousands writes n with commas: 1,234,567.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
