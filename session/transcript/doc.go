// Package transcript gives the lines of a session their meaning: what the
// person asked, what the model replied, what its commands did, and what older
// messages were summed up to.
//
// [Question], [Reply], [Result] and [Compaction] make the lines of a turn;
// [Parse] reads one, and [Read] the present branch of a session. Lines of other
// programs are read as far as they can be: a message is at least its words.
//
// An assistant line has the reply's message as its content and the rest in
// fields of its own ("kind", "format", "suggestions", "commands"); a tool line
// has the observation as JSON text. So a program that knows only roles and
// contents still reads a conversation.
package transcript
