#!/usr/bin/env node

// Counts the lines of the files in a folder. Reads which folders to pass over
// from ~/.slothtool/data/plugin-configs/count.json.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const usage = `count: the lines of the files in a folder

  count [FOLDER]          a table, largest file first
  count [FOLDER] --json   the same as JSON
  count --version

Exit codes: 0 counted, 1 the folder cannot be read, 2 wrong arguments`;

function excluded() {
    const file = path.join(os.homedir(), '.slothtool', 'data', 'plugin-configs', 'count.json');
    if (!fs.existsSync(file)) {
        return new Set(['.git', 'node_modules']);
    }
    const folders = JSON.parse(fs.readFileSync(file, 'utf8')).excludeDirectories || {};
    return new Set(Object.keys(folders).filter(name => folders[name]));
}

function lines(text) {
    if (text === '') {
        return 0;
    }
    return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function count(folder, skip, prefix = '') {
    const found = [];
    for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
        const name = prefix + entry.name;
        if (entry.isDirectory() && !skip.has(entry.name)) {
            found.push(...count(path.join(folder, entry.name), skip, `${name}/`));
        } else if (entry.isFile()) {
            found.push({path: name, lines: lines(fs.readFileSync(path.join(folder, entry.name), 'utf8'))});
        }
    }
    return found;
}

function main(args) {
    if (args.includes('--help') || args.includes('-h')) {
        console.log(usage);
        return 0;
    }
    if (args.includes('--version')) {
        const manifest = new URL('../package.json', import.meta.url);
        console.log(JSON.parse(fs.readFileSync(manifest, 'utf8')).version);
        return 0;
    }
    const folders = args.filter(arg => arg !== '--json');
    const odd = folders.find(arg => arg.startsWith('-'));
    if (odd !== undefined || folders.length > 1) {
        console.error(`count: ${odd === undefined ? 'expected one folder' : `unknown option ${odd}`}; see count --help`);
        return 2;
    }
    const folder = folders[0] ?? '.';
    let files;
    try {
        files = count(folder, excluded());
    } catch (error) {
        console.error(`count: ${error.message}`);
        return 1;
    }
    files.sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));
    const total = files.reduce((sum, file) => sum + file.lines, 0);
    if (args.includes('--json')) {
        console.log(JSON.stringify({folder, files, total}, null, 2));
        return 0;
    }
    for (const file of files) {
        console.log(`${String(file.lines).padStart(8)}  ${file.path}`);
    }
    console.log(`${String(total).padStart(8)}  in ${files.length} files`);
    return 0;
}

process.exitCode = main(process.argv.slice(2));
