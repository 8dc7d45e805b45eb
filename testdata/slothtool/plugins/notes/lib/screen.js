// The full screen: arrows or j and k move, q or Ctrl-C leaves.

import {readConfig, readNotes} from './store.js';

export function openScreen(stdin, stdout) {
    const notes = readNotes();
    const {title} = readConfig();
    let at = 0;

    const draw = () => {
        const lines = notes.map((note, i) => `${i === at ? '>' : ' '} ${note.text}`);
        stdout.write(`\x1b[H\x1b[2J\x1b[1m${title}\x1b[0m\n\n${lines.join('\n')}\n\n[j/k] move  [q] quit`);
    };

    return new Promise(resolve => {
        const leave = () => {
            stdin.off('data', key);
            stdin.setRawMode(false);
            stdin.pause();
            stdout.write('\x1b[?25h\x1b[?1049l');
            resolve();
        };
        const key = data => {
            for (const pressed of data.match(/\x1b\[[A-D]|[\s\S]/gu) ?? []) {
                if (pressed === 'q' || pressed === '\x03') {
                    leave();
                    return;
                }
                if (pressed === 'j' || pressed === '\x1b[B') {
                    at = Math.min(at + 1, Math.max(notes.length - 1, 0));
                } else if (pressed === 'k' || pressed === '\x1b[A') {
                    at = Math.max(at - 1, 0);
                }
            }
            draw();
        };
        stdin.setRawMode(true);
        stdin.setEncoding('utf8');
        stdin.on('data', key);
        stdin.resume();
        stdout.on('resize', draw);
        stdout.write('\x1b[?1049h\x1b[?25l');
        draw();
    });
}
