// What is stated about the files of a release: how they were made, their checksums, and whose signature they have.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from './tree.ts';

/** The purpose that signatures are for: with it, nobody can pass off what the key has signed elsewhere as a release. */
const namespace = 'sallyport-release';

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Lists the files so far, with their SHA-256. */
const subjects = (to: string) =>
  readdirSync(to)
    .sort()
    .map((name) => ({ name, sha256: sha256(join(to, name)) }));

/**
 * States from what the files were made, in the form of in-toto (https://slsa.dev/spec/v1.0/provenance). It has no times: who repeats
 * the build gets the same statement.
 */
export function writeProvenance({ version, commit, to }: Release): void {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects(to).map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:sallyport:npm-run-release:1',
        externalParameters: { version },
        internalParameters: { platform: process.platform, arch: process.arch },
        resolvedDependencies: [
          { name: 'source', ...(commit === null ? {} : { digest: { gitCommit: commit } }) },
          { name: 'package-lock.json', digest: { sha256: sha256('package-lock.json') } },
          { name: 'node', uri: `pkg:generic/node@${process.versions.node}` },
        ],
      },
      // Whoever has the key of the signature.
      runDetails: { builder: { id: 'urn:sallyport:signer-of-the-release' } },
    },
  };
  writeFileSync(join(to, `sallyport-${version}.intoto.json`), `${JSON.stringify(statement, null, 2)}\n`);
}

/** Writes the checksums of all files, in the form of `sha256sum`. */
export function writeChecksums({ to }: Release): void {
  const lines = subjects(to).map(({ name, sha256: sum }) => `${sum}  ${name}\n`);
  writeFileSync(join(to, 'SHA256SUMS'), lines.join(''));
}

/**
 * Signs the checksums, and thereby all files.
 *
 * @param key the file of a private key of OpenSSH, or of a public one whose private key is in the agent
 */
export function sign({ to }: Release, key: string): void {
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', namespace, '-f', key, join(to, 'SHA256SUMS')], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
}
