// What is inside a release: the packages that are part of the programs and of the dashboard, or are installed beside them.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Release } from './tree.ts';

/** A CycloneDX document as npm writes it, as far as it is used here; the rest is passed on. */
const sbomShape = z.looseObject({
  serialNumber: z.string(),
  metadata: z.looseObject({
    timestamp: z.string(),
    component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }),
  }),
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      name: z.string(),
      version: z.string(),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
/** The CycloneDX document of a release. */
export type Inside = z.infer<typeof sbomShape>;

/** Packages that others name, mostly as peers, and that are part of nothing: what builds the dashboard and Prisma's clients, and types. */
const tools = /^(@types\/|@vitejs\/|vite$|prisma$|typescript$)/;

const manifestShape = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** Reads a `package.json`. */
export const readManifest = (path: string) => manifestShape.parse(JSON.parse(readFileSync(path, 'utf8')));

/** Returns the name in a reference such as `@prisma/client@7.10.0`. */
const nameOf = (reference: string) => reference.slice(0, reference.lastIndexOf('@'));

/**
 * Lists what is inside, from the lock file. npm counts the packages of the dashboard as tools for development, because they are
 * needed only to build it: they are found by what depends on what.
 */
export function readInside(): Inside {
  const listed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const all = sbomShape.parse(JSON.parse(listed));
  const needs = new Map(
    all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn.filter((needed) => !tools.test(nameOf(needed)))]),
  );
  const server = readManifest('package.json');
  const dashboard = readManifest('dashboard/package.json');
  const ofServer = Object.keys({ ...server.dependencies, ...server.optionalDependencies });
  const ofDashboard = Object.keys(dashboard.devDependencies);
  const direct = (manifest: { name: string; version: string }, names: readonly string[]) =>
    (needs.get(`${manifest.name}@${manifest.version}`) ?? []).filter((ref) => names.includes(nameOf(ref)));
  const roots = {
    [`${server.name}@${server.version}`]: direct(server, ofServer),
    [`${dashboard.name}@${dashboard.version}`]: direct(dashboard, ofDashboard),
  };
  const found = new Map(Object.entries(roots));
  // A map visits what is added to it meanwhile.
  for (const [, references] of found) {
    for (const ref of references) if (!found.has(ref)) found.set(ref, needs.get(ref) ?? []);
  }
  const component = { ...all.metadata.component, name: server.name };
  return {
    ...all,
    metadata: { ...all.metadata, component },
    // npm calls everything optional that only the dashboard needs.
    components: all.components
      .filter((part) => found.has(part['bom-ref']))
      .map((part) => ({ ...part, scope: part.name in server.optionalDependencies ? 'optional' : 'required' })),
    dependencies: all.dependencies
      .filter(({ ref }) => found.has(ref))
      .map(({ ref }) => ({ ref, dependsOn: found.get(ref) ?? [] })),
  };
}

/** Writes the list in CycloneDX, with the time of the release, and a number that follows from its content. */
export function writeSbom({ epoch, to, version }: Release, inside: Inside): void {
  const timestamp = new Date(epoch * 1000).toISOString();
  const dated = { ...inside, serialNumber: '', metadata: { ...inside.metadata, timestamp } };
  const hash = createHash('sha256').update(JSON.stringify(dated)).digest('hex');
  // The form of a random UUID, because CycloneDX wants one.
  const serialNumber = `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  writeFileSync(join(to, `sallyport-${version}.cdx.json`), `${JSON.stringify({ ...dated, serialNumber }, null, 2)}\n`);
}

const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.object({ name: z.string().optional(), version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/** Reads what the lock file has about each package, by the directory that it is installed in. */
export const readLocked = () => lockShape.parse(JSON.parse(readFileSync('package-lock.json', 'utf8'))).packages;

/** Files of a package that have its licence; a few packages have it in the README. */
const licence = /^(licen[cs]e|notice|copying|copyright)|^readme/i;

/** Collects the licences of all packages that are inside, which must accompany every copy of them. */
export function licencesOf({ components }: Inside): string {
  const locked = Object.entries(readLocked());
  const sections = components.map(({ name, version }) => {
    const isIt = (path: string, itsVersion?: string) => path.endsWith(`node_modules/${name}`) && itsVersion === version;
    const directory = locked.find(([path, found]) => isIt(path, found.version))?.[0] ?? '';
    const names = existsSync(directory) ? readdirSync(directory).filter((file) => licence.test(file)) : [];
    const own = names.filter((file) => !/^readme/i.test(file));
    const texts = (own.length > 0 ? own : names)
      .sort()
      .map((file) => readFileSync(join(directory, file), 'utf8').trim());
    return [`${name} ${version}`, ...texts].join('\n\n');
  });
  return `${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
