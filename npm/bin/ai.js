#!/usr/bin/env node

// Runs the native program with the same arguments, streams and exit code. It
// is taken from AI_BINARY, or native/ of this package (a local build), or the
// package for this platform.

import {spawn} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import {fileURLToPath} from 'node:url';

const windows = process.platform === 'win32';
const name = windows ? 'ai.exe' : 'ai';
const platformPackage = `@holic512/plugin-ai-${process.platform}-${process.arch}`;

function findBinary() {
    if (process.env.AI_BINARY) {
        return process.env.AI_BINARY;
    }
    const local = fileURLToPath(new URL(`../native/${name}`, import.meta.url));
    if (fs.existsSync(local)) {
        return local;
    }
    try {
        return createRequire(import.meta.url).resolve(`${platformPackage}/bin/${name}`);
    } catch {
        const manifest = new URL('../package.json', import.meta.url);
        const offered = Object.keys(JSON.parse(fs.readFileSync(manifest, 'utf8')).optionalDependencies);
        fail(offered.includes(platformPackage)
            ? `the package ${platformPackage} with the program is not installed; run: npm install ${platformPackage} (npm leaves it out with --omit=optional)`
            : `there is no program for ${process.platform}-${process.arch}, only ${offered.join(', ')}; build it with: go build ./cmd/ai, and set AI_BINARY to its path`);
    }
}

function fail(message) {
    fs.writeSync(2, `ai: ${message}\n`);
    process.exit(1);
}

// What one process sends to this one is passed on. Ctrl-C and Ctrl-\ a terminal
// sends to the whole process group, so the program has them already.
function hasTerminal() {
    if (windows) {
        return true;
    }
    try {
        fs.closeSync(fs.openSync('/dev/tty', 'r'));
        return true;
    } catch {
        return false;
    }
}

const binary = findBinary();
const ofTerminal = hasTerminal() ? ['SIGINT', 'SIGQUIT'] : [];
let child;
for (const signal of windows ? ['SIGINT', 'SIGHUP'] : ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM', 'SIGUSR2']) {
    process.on(signal, () => ofTerminal.includes(signal) || child.kill(signal));
}

child = spawn(binary, process.argv.slice(2), {stdio: 'inherit'});
child.on('error', error => fail(`the program ${binary} cannot be started: ${error.message}; install the package again, or set AI_BINARY to a program that works here`));
child.on('exit', (code, signal) => {
    if (!signal) {
        process.exit(code);
    }
    // End as the program did. Node cannot die of every signal: then a shell's number for it.
    process.exitCode = 128 + os.constants.signals[signal];
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
});
