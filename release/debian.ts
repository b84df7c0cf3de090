// The packages for Debian: the server, and the scripts for SSH hosts and clients.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Inside, readLocked } from './inside.ts';
import { copyPackage, drivers, slim, writeProgram } from './program.ts';
import { copyInto, filesOf, type Release, settle, writeInto } from './tree.ts';

/** Where the package puts the program: `/opt` is for what comes without a package. */
const home = 'usr/lib/sallyport';

/** Node's names of processors, as Debian calls them. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Builds the package of the server. It contains the drivers of SQLite as compiled, for Node 20 and for 22.14 and later. */
export function buildDebianOfServer(release: Release, inside: Inside, staging: string): void {
  const program = join(staging, home);
  writeProgram(program, inside);
  // Version 12 finds its binary with the last two.
  for (const name of [...drivers, 'bindings', 'file-uri-to-path']) {
    if (existsSync(join('node_modules', name))) copyPackage(program, name);
    else fetchPackage(name, join(program, 'node_modules', name));
  }
  slim(program);
  copyInto(staging, `${home}/deploy/sallyport`, 'deploy/sallyport');
  copyInto(staging, 'etc/sallyport/environment', 'deploy/environment');
  const unit = readFileSync('deploy/sallyport.service', 'utf8').replaceAll('/opt/sallyport', `/${home}`);
  writeInto(staging, 'usr/lib/systemd/system/sallyport.service', unit);
  writeInto(staging, 'usr/share/doc/sallyport/copyright', readFileSync('LICENSE', 'utf8'));
  mkdirSync(join(staging, 'usr/bin'));
  symlinkSync('../lib/sallyport/deploy/sallyport', join(staging, 'usr/bin/sallyport'));
  const architecture = architectures[process.arch];
  if (architecture === undefined)
    throw new Error(`Debian has another name for ${process.arch}: add it to release/debian.ts.`);
  pack(release, staging, {
    control: {
      Package: 'sallyport',
      Architecture: architecture,
      Depends: `nodejs (>= 20.19), libc6 (>= ${glibcOf(program)}), libstdc++6, passwd, util-linux`,
      Section: 'net',
      Description:
        'API for controlling network ingress\n IP policies, SSH host certificates and edge modules, on GraphQL and REST.',
    },
    conffiles: ['/etc/sallyport/environment'],
    scripts: ['postinst', 'prerm', 'postrm'],
    isProgram: (path) => path === `${home}/deploy/sallyport`,
  });
}

/** Builds the package of the scripts for hosts and clients, which needs no server. */
export function buildDebianOfScripts(release: Release, staging: string): void {
  const scripts = ['sallyport-ssh-host', 'sallyport-ssh-client'];
  for (const name of scripts) copyInto(staging, `usr/sbin/${name}`, `deploy/ssh/${name}`);
  writeInto(staging, 'usr/share/doc/sallyport-ssh/copyright', readFileSync('LICENSE', 'utf8'));
  pack(release, staging, {
    control: {
      Package: 'sallyport-ssh',
      Architecture: 'all',
      Depends: 'openssh-client (>= 1:8.9), curl | wget, mawk | gawk | original-awk',
      Section: 'net',
      Description: 'SSH host certificates of Sallyport\n The scripts for SSH hosts and clients.',
    },
    conffiles: [],
    scripts: [],
    isProgram: (path) => path.startsWith('usr/sbin/'),
  });
}

/** What a package has beside its files. */
interface Packing {
  /** The fields of its own, in order. */
  readonly control: {
    readonly Package: string;
    readonly Architecture: string;
    readonly Depends: string;
    readonly Section: string;
    readonly Description: string;
  };
  /** Files that operators change. */
  readonly conffiles: readonly string[];
  /** Names of its scripts in `release/debian`. */
  readonly scripts: readonly string[];
  readonly isProgram: (path: string) => boolean;
}

function pack(
  { version, epoch, to }: Release,
  staging: string,
  { control, conffiles, scripts, isProgram }: Packing,
): void {
  const bytes = filesOf(staging).reduce((sum, path) => sum + lstatSync(join(staging, path)).size, 0);
  // Before a release, such as 1.0.0-rc.1, stands a tilde, which Debian sorts before everything.
  const debianVersion = version.replace('-', '~');
  const { Description, ...fields } = control;
  const all = {
    ...fields,
    Version: debianVersion,
    Priority: 'optional',
    Maintainer: 'Sallyport <sallyport@example.com>',
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    Description,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`);
  writeInto(staging, 'DEBIAN/control', lines.join(''));
  if (conffiles.length > 0) writeInto(staging, 'DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''));
  for (const name of scripts) copyInto(staging, `DEBIAN/${name}`, `release/debian/${name}`);
  settle(staging, epoch, (path) => isProgram(path) || (path.startsWith('DEBIAN/') && scripts.includes(path.slice(7))));
  const file = join(to, `${control.Package}_${debianVersion}_${control.Architecture}.deb`);
  // gzip, because xz writes other bytes on a machine with other processors.
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', staging, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Gets a package that npm leaves out on this Node, exactly as the lock file has it. */
function fetchPackage(name: string, to: string): void {
  const locked = readLocked()[`node_modules/${name}`];
  if (locked?.version === undefined) throw new Error(`package-lock.json does not have ${name}.`);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  try {
    const wanted = `${locked.name ?? name}@${locked.version}`;
    execFileSync('npm', ['pack', '--silent', '--prefer-offline', wanted, '--pack-destination', directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [archive = ''] = readdirSync(directory);
    const hash = createHash('sha512')
      .update(readFileSync(join(directory, archive)))
      .digest('base64');
    if (locked.integrity !== `sha512-${hash}`) throw new Error(`${wanted} is not what package-lock.json has.`);
    execFileSync('tar', ['-xzf', archive], { cwd: directory });
    renameSync(join(directory, 'package'), to);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the newest version of glibc that a binary of the program was linked against: it runs with this one and later ones. */
function glibcOf(program: string): string {
  const binaries = filesOf(program).filter((path) => path.endsWith('.node'));
  const text = binaries.map((path) => readFileSync(join(program, path), 'latin1')).join('');
  const minors = [...text.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  return `2.${Math.max(...minors)}`;
}
