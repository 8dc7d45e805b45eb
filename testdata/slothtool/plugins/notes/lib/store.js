// Where notes and their settings are kept.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const home = path.join(os.homedir(), '.slothtool');
const notesFile = path.join(home, 'data', 'notes.json');
const configFile = path.join(home, 'data', 'plugin-configs', 'notes.json');
const oldConfigFile = path.join(home, 'plugin-configs', 'notes.json');

const defaults = {title: 'Notes', newestFirst: false, limit: 50};

function read(file, missing) {
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : missing;
}

export function readConfig() {
    if (!fs.existsSync(configFile) && fs.existsSync(oldConfigFile)) {
        fs.mkdirSync(path.dirname(configFile), {recursive: true});
        fs.renameSync(oldConfigFile, configFile);
    }
    return {...defaults, ...read(configFile, {})};
}

export function readNotes() {
    const {newestFirst, limit} = readConfig();
    const notes = read(notesFile, []);
    return (newestFirst ? notes.reverse() : notes).slice(0, limit);
}

export function addNote(text) {
    const notes = read(notesFile, []);
    const note = {id: notes.length + 1, text};
    notes.push(note);
    fs.mkdirSync(path.dirname(notesFile), {recursive: true});
    fs.writeFileSync(notesFile, JSON.stringify(notes, null, 2));
    return note;
}
