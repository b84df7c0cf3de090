// The files that every package of the server has, wherever it is installed.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packagesOutside } from '../bundle.js';
import { type Inside, licencesOf, readManifest } from './inside.ts';
import { copyInto, writeInto } from './tree.ts';

/** Notes of the build for itself. */
const ofBuild = ['.built', '.tsbuildinfo'];

/** Files that the programs read, and those that must accompany them. */
const beside = [
  'prisma/migrations',
  ...['ssh', 'nginx', 'caddy', 'haproxy', 'traefik', 'envoy'].map((name) => `deploy/${name}`),
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** The drivers of SQLite: compiled code, of which one fits the version of Node. */
export const drivers = ['better-sqlite3', 'better-sqlite3-13'];

/** The packages that are not bundled and run everywhere. `pg-native` is not installed. */
const everywhere = packagesOutside.filter((name) => !drivers.includes(name) && name !== 'pg-native');

/** Puts the built program into a directory, with the packages that it loads from `node_modules`, except for the drivers of SQLite. */
export function writeProgram(directory: string, inside: Inside): void {
  mkdirSync(directory, { recursive: true });
  copyInto(directory, 'dist', 'dist', (name) => !ofBuild.includes(name));
  for (const path of beside) copyInto(directory, path, path);
  copyInto(directory, 'docs', 'docs', (name) => name.endsWith('.md'));
  writeInto(directory, 'LICENCES-OF-PACKAGES.txt', licencesOf(inside));
  writeInto(directory, 'package.json', `${JSON.stringify(manifest(inside), null, 2)}\n`);
  for (const name of everywhere) {
    copyPackage(directory, name);
    withoutNeeds(join(directory, 'node_modules', name, 'package.json'));
  }
}

/** Copies an installed package beside the program. */
export function copyPackage(directory: string, name: string): void {
  cpSync(join('node_modules', name), join(directory, 'node_modules', name), { recursive: true });
}

/** Removes the files that are not loaded from the packages beside the program, as `npm run slim` does. */
export function slim(directory: string): void {
  const scripts = ['deploy/slim.js', 'bundle.js'];
  for (const path of scripts) copyInto(directory, path, path);
  execFileSync(process.execPath, [join(directory, 'deploy/slim.js')], { stdio: 'inherit' });
  for (const path of scripts) rmSync(join(directory, path));
}

/**
 * Returns the `package.json` of the program. It brings its packages along, in the versions that were tested; only the drivers are left
 * to npm. Both are optional, because npm leaves out what is not for its Node or cannot be compiled, and one is enough.
 */
function manifest({ components }: Inside): object {
  const { name, version, description, license, type, engines, imports, bin, optionalDependencies } =
    readManifest('package.json');
  const versionOf = (wanted: string) => components.find((part) => part.name === wanted)?.version ?? '';
  const exact = (wanted: string) => {
    const alias = /^npm:(.+)@/.exec(optionalDependencies[wanted] ?? '')?.[1];
    return alias === undefined ? versionOf(wanted) : `npm:${alias}@${versionOf(wanted)}`;
  };
  return {
    ...{ name, version, description, license, type, engines, imports, bin },
    dependencies: Object.fromEntries(everywhere.map((wanted) => [wanted, versionOf(wanted)])),
    bundleDependencies: everywhere,
    optionalDependencies: Object.fromEntries(drivers.map((wanted) => [wanted, exact(wanted)])),
  };
}

/**
 * Takes out of the description of a package what it needs: npm would install it, and all that it needs in turn. What is loaded here needs
 * nothing: GraphiQL's peer is the server that is bundled, and Swagger UI's only dependency reports installations to others.
 */
function withoutNeeds(path: string): void {
  const {
    dependencies: _,
    peerDependencies: __,
    ...rest
  } = z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')));
  writeFileSync(path, `${JSON.stringify(rest, null, 2)}\n`);
}
