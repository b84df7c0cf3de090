// The npm package: `npm install -g ./sallyport-*.tgz` installs the command `sallyport`, and with it the server.

import { execFileSync } from 'node:child_process';
import type { Inside } from './inside.ts';
import { slim, writeProgram } from './program.ts';
import { type Release, settle } from './tree.ts';

/** Packs it. npm gives all files of a package the same time, and puts them in order. */
export function buildNpmPackage({ epoch, to }: Release, inside: Inside, staging: string): void {
  writeProgram(staging, inside);
  slim(staging);
  settle(staging, epoch, (path) => path === 'dist/cli.js');
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], { cwd: staging });
}
