#!/usr/bin/env node

// Makes the packages that are published, each ready for `npm publish`, from the
// programs that `make dist VERSION=v<version>` built:
//
//   node npm/pack.mjs DIST OUT [PLATFORM-CPU…]
//
// DIST is the folder of the programs, OUT a folder that is not there yet. Which
// platforms there are and which version it is stands in package.json alone.

import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const main = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
const goNames = {win32: 'windows', x64: 'amd64'};

function pack(dist, out, wanted) {
    const offered = Object.keys(main.optionalDependencies).map(name => name.slice(main.name.length + 1));
    const unknown = wanted.find(platform => !offered.includes(platform));
    if (unknown !== undefined) {
        throw new Error(`unknown platform ${unknown}; expected one of ${offered.join(', ')}`);
    }
    fs.mkdirSync(out);
    for (const platform of wanted.length > 0 ? wanted : offered) {
        packPlatform(dist, path.join(out, `plugin-ai-${platform}`), platform);
    }
    const target = path.join(out, 'plugin-ai');
    fs.mkdirSync(path.join(target, 'bin'), {recursive: true});
    for (const file of ['package.json', 'README.md', 'bin/ai.js']) {
        fs.copyFileSync(path.join(here, file), path.join(target, file));
    }
    fs.copyFileSync(path.join(here, '..', 'LICENSE'), path.join(target, 'LICENSE'));
}

function packPlatform(dist, target, platform) {
    const [os, cpu] = platform.split('-');
    const ext = os === 'win32' ? '.exe' : '';
    const built = path.join(dist, `ai-v${main.version}-${goNames[os] ?? os}-${goNames[cpu] ?? cpu}${ext}`);
    if (!fs.existsSync(built)) {
        throw new Error(`${built} is not there; run: make dist VERSION=v${main.version}`);
    }
    fs.mkdirSync(path.join(target, 'bin'), {recursive: true});
    const program = path.join(target, 'bin', `ai${ext}`);
    fs.copyFileSync(built, program);
    fs.chmodSync(program, 0o755);
    fs.copyFileSync(path.join(here, '..', 'LICENSE'), path.join(target, 'LICENSE'));
    const manifest = {
        name: `${main.name}-${platform}`,
        version: main.version,
        description: `The program of ${main.name} for ${platform}`,
        files: ['bin', 'LICENSE'],
        os: [os],
        cpu: [cpu],
        preferUnplugged: true,
        repository: main.repository,
        license: main.license,
    };
    fs.writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const [dist, out, ...wanted] = process.argv.slice(2);
try {
    if (!dist || !out) {
        throw new Error('expected the folder of the programs and the folder to make; see the top of this file');
    }
    pack(dist, out, wanted);
} catch (error) {
    console.error(`pack: ${error.message}`);
    process.exitCode = 1;
}
