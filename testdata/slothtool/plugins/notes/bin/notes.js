#!/usr/bin/env node

// Keeps short notes in ~/.slothtool/data/notes.json. Without arguments it opens
// a full screen.

import {openScreen} from '../lib/screen.js';
import {addNote, readConfig, readNotes} from '../lib/store.js';

const usage = `notes: short notes

  notes                 the full screen
  notes --tui           the same; also -i, --interactive
  notes list [--json]
  notes add TEXT
  notes config show`;

function list(json) {
    const notes = readNotes();
    if (json) {
        console.log(JSON.stringify(notes, null, 2));
        return;
    }
    for (const note of notes) {
        console.log(`${note.id}. ${note.text}`);
    }
    if (notes.length === 0) {
        console.log('(no notes)');
    }
}

async function main(args) {
    if (args.includes('--help') || args.includes('-h')) {
        console.log(usage);
        return;
    }
    if (args.length === 0 || ['--tui', '-i', '--interactive'].some(flag => args.includes(flag))) {
        if (!process.stdin.isTTY || !process.stdout.isTTY) {
            throw new Error('notes: the full screen needs a terminal; see notes --help for plain commands');
        }
        await openScreen(process.stdin, process.stdout);
        console.log('bye');
        return;
    }
    const [command, ...rest] = args;
    if (command === 'list' && (rest.length === 0 || rest.length === 1 && rest[0] === '--json')) {
        list(rest.length === 1);
    } else if (command === 'add' && rest.length > 0) {
        const note = addNote(rest.join(' '));
        console.log(`added ${note.id}`);
    } else if (command === 'config' && rest.length === 1 && rest[0] === 'show') {
        console.log(JSON.stringify(readConfig(), null, 2));
    } else {
        throw new Error(`notes: unknown command: ${args.join(' ')}; see notes --help`);
    }
}

main(process.argv.slice(2)).catch(error => {
    console.error(error.message);
    process.exitCode = 1;
});
