// What SSH clients and hosts read without an API key: the authorities of accounts, the key revocation lists of accounts and
// authorities, and when certificates are to be renewed.

import { LRUCache } from 'lru-cache';
import { createSharedWork } from '../../domain/concurrency/shared-work.ts';
import { notFound } from '../../domain/errors.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import type { PublicFile, ReadPublicFile } from '../../surfaces/public-files.ts';
import { blobOfLine } from './keys/public-key.ts';
import { createRevocationsReader, type ListOwner, readRenewalState, readTrustedAuthorities } from './public-store.ts';
import { suggestedWindow } from './renewal/renewal.ts';
import { writeKeyRevocationList } from './revocation/key-revocation-list.ts';
import { accountRevocationListUrl, knownHostsLine } from './rules.ts';
import { sshScripts } from './scripts-public.ts';

/** Revocation lists kept in memory, because writing a list reads all its serials from the database and sorts them. */
const listsMax = 100;

interface KeptList {
  readonly list: Buffer;
  readonly version: bigint;
}

export const publicFiles: readonly PublicFile[] = [
  {
    path: '/ssh_certificate_authorities/{id}/krl',
    operationId: 'GetSshKeyRevocationList',
    summary: 'The key revocation list of a certificate authority',
    description:
      'The list of revoked host certificates, in the binary form that `RevokedHostKeys` of an SSH client reads. No API ' +
      'key is needed. Ask again with `If-None-Match`, which costs little.',
    mediaType: 'application/octet-stream',
    parameters: { id: 'Identifier of the authority.' },
    createReader: createListReader('authority'),
  },
  {
    path: '/ssh/krl/{id}',
    operationId: 'GetSshAccountRevocationList',
    summary: 'The key revocation list of an account',
    description:
      'The list of revoked host certificates of all certificate authorities that the account has or had, in one file, as ' +
      '`RevokedHostKeys` of an SSH client takes only one. No API key is needed. Ask again with `If-None-Match`, which ' +
      'costs little.',
    mediaType: 'application/octet-stream',
    parameters: { id: 'Identifier of the account.' },
    createReader: createListReader('account'),
  },
  {
    path: '/ssh/known_hosts/{account_id}',
    operationId: 'GetSshKnownHosts',
    summary: 'The certificate authorities of an account, for clients to trust',
    description:
      'A `known_hosts` file with a `@cert-authority` line for each certificate authority of the account that has not retired, ' +
      'the oldest first: also for the announced successor of one, before it takes over. No API key is needed. Ask again with ' +
      '`If-None-Match`.',
    mediaType: 'text/plain',
    parameters: { account_id: 'Identifier of the account.' },
    createReader: createKnownHostsReader,
  },
  {
    path: '/ssh/renewal_info/{id}',
    operationId: 'GetSshRenewalInfo',
    summary: 'When a host should renew its certificate',
    description:
      'When the host of a certificate should renew it, as in the renewal information of ACME (RFC 9773): `suggested_window` with ' +
      '`start` and `end`, which is in the past once the authority has handed over. `revocation_list_url` is the key revocation ' +
      'list of the account. 404 if there is no such certificate, or it was deleted: its host has to enroll again. No API key is ' +
      'needed.',
    mediaType: 'application/json',
    parameters: { id: 'Identifier of the certificate.' },
    createReader: createRenewalInfoReader,
  },
  ...sshScripts,
];

function createListReader(owner: ListOwner) {
  return (database: ServerReads): ReadPublicFile => {
    const reader = createRevocationsReader(database, owner);
    const lists = new LRUCache<string, KeptList>({ max: listsMax });
    const writing = createSharedWork<Buffer>();

    const keptList = async (id: string): Promise<Buffer | undefined> => {
      const kept = lists.get(id);
      return kept !== undefined && (await reader.version(id)) === kept.version ? kept.list : undefined;
    };

    const writeList = async (id: string): Promise<Buffer> => {
      const revocations = await reader.read(id);
      if (revocations === null) {
        lists.delete(id);
        throw notFound();
      }
      const { authorities, version, changedAt } = revocations;
      const sections = authorities.map(({ publicKey, serials }) => ({ authorityBlob: blobOfLine(publicKey), serials }));
      const list = writeKeyRevocationList({ sections, version, generatedAt: changedAt });
      lists.set(id, { list, version });
      return list;
    };

    return async ({ id = '' }) =>
      // A list that is being written may lack later revocations, so requests that arrive meanwhile share the next one.
      (await keptList(id)) ?? writing.run(id, async () => (await keptList(id)) ?? writeList(id));
  };
}

/**
 * Creates the reader of `known_hosts` files. Each key line follows a comment with the id of its authority. Requests that arrive
 * while a file is being read share the next read, because anybody may ask and an account may have thousands of authorities.
 */
function createKnownHostsReader(database: ServerReads): ReadPublicFile {
  const reading = createSharedWork<Buffer>();
  const read = async (accountId: string) => {
    const authorities = await readTrustedAuthorities(database, accountId);
    if (authorities === null) throw notFound();
    const lines = authorities.flatMap(({ id, publicKey }) => [`# ${id}`, knownHostsLine('*', publicKey)]);
    return Buffer.from([`# SSH certificate authorities of ${accountId}`, ...lines, ''].join('\n'));
  };
  return ({ account_id: accountId = '' }) => reading.run(accountId, () => read(accountId));
}

function createRenewalInfoReader(database: ServerReads): ReadPublicFile {
  return async ({ id = '' }, baseUrl) => {
    const state = await readRenewalState(database, id);
    if (state === null) throw notFound();
    const { start, end } = suggestedWindow(state, state.handedOverAt);
    const info = {
      suggested_window: { start: formatTimestamp(start), end: formatTimestamp(end) },
      revocation_list_url: accountRevocationListUrl(baseUrl, state.accountId),
    };
    return Buffer.from(`${JSON.stringify(info)}\n`);
  };
}
