// Replaces certificate authorities step by step. A step changes only the version it has read: of two concurrent steps, the second
// reads again, and is refused if it is then out of order.

import { invalid } from '../../../domain/errors.ts';
import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { called } from '../../../domain/wording.ts';
import { isMissingRow } from '../../../storage/errors.ts';
import { generateInTurn } from '../../../storage/keys/key-generation.ts';
import type { AccountScope, AccountView } from '../../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row } from '../../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../../storage/objects/overtaken.ts';
import { expectVersion, isVersionConflict } from '../../../storage/objects/version-conflict.ts';
import { type AgentKeyChoice, chooseAgentKey } from '../agents/agent-store.ts';
import { sshCertificateAuthorities, sshHostCertificates } from '../collections-store.ts';
import { revokeCertificates } from './authority-deletion-store.ts';
import { type AuthorityOptions, checkAuthorityOptions, exportAuthorityKey, optionsLike } from './authority-key.ts';
import { newAuthority } from './authority-store.ts';
import { openedAuthorityKeys } from './opened-keys-store.ts';
import { refuseHandOver, refuseRetirement, refuseSecondSuccessor, type Unended } from './succession-rules.ts';

type Nullable<T> = { [K in keyof T]: T[K] | null | undefined };

interface Step {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
}

type Authority = Row<'SshCertificateAuthority'>;

/**
 * Creates the successor of an authority, with a new key of the same kind unless options are given. The authority keeps signing.
 *
 * @param signal cancels key generation when nobody is waiting for it any more
 * @returns the successor
 * @throws OUT_OF_ORDER if there already is a successor, INVALID_INPUT for options that do not go together, NOT_FOUND,
 *   VERSION_CONFLICT, and as `generateInTurn` and `chooseAgentKey`
 */
export async function announceSuccessor(
  scope: AccountScope,
  input: Step & Notes & AuthorityOptions & Partial<Nullable<AgentKeyChoice>>,
  signal?: AbortSignal,
): Promise<Authority> {
  // Check first, before a key is generated for nothing.
  const authority = await sshCertificateAuthorities.get(scope, input.id);
  refuseSecondSuccessor(authority, await successorOf(scope, authority));
  const { columns, object } = await makeSuccessor(scope, authority, input, signal);
  return takeStep(scope, input, async (current) => {
    refuseSecondSuccessor(current, await successorOf(scope, current));
    const where = { id: current.id, version: current.version };
    const named = sshCertificateAuthorities.prepareUpdate(scope, where, { successorId: object.id, ...countedUp });
    return sshCertificateAuthorities.create(scope, columns, { object, alongside: [named] });
  });
}

/** Returns the identity and the columns of a successor, whose key is new or in an agent. */
async function makeSuccessor(
  scope: AccountScope,
  { publicKey }: Authority,
  input: Notes & AuthorityOptions & Partial<Nullable<AgentKeyChoice>>,
  signal: AbortSignal | undefined,
) {
  const notes = notesForCreate(input);
  const { signingAgent, key, ...options } = input;
  if (signingAgent == null) {
    if (key != null) throw invalid('key', 'must be omitted without `signingAgent`: it names a key of an agent.');
    const kind = checkAuthorityOptions(optionsLike(publicKey, options));
    const made = exportAuthorityKey(await generateInTurn(scope, kind, signal));
    return newAuthority(scope, notes, kind.privateKeyType, made);
  }
  const asked = (['privateKeyType', 'ellipticCurve', 'keySize'] as const).find((name) => options[name] != null);
  if (asked !== undefined) throw invalid(asked, 'must be omitted with `signingAgent`: the key is there already.');
  const columns = { ...notes, ...(await chooseAgentKey(scope, { signingAgent, key })) };
  return { object: sshCertificateAuthorities.newObject(scope), columns };
}

/**
 * Makes the successor of an authority take over: the authority itself signs nothing from then on. Throws OUT_OF_ORDER if it has no
 * successor or has already handed over, NOT_FOUND, VERSION_CONFLICT.
 */
export function handOver(scope: AccountScope, step: Step): Promise<Authority> {
  return takeStep(scope, step, async (authority) => {
    refuseHandOver(authority, await successorOf(scope, authority));
    return close(scope, authority, { handedOverAt: scope.now() });
  });
}

/**
 * Erases the private key of an authority that has handed over. Throws IN_USE until the last certificate that it has signed has
 * expired (deleted certificates do not count, because they are revoked), OUT_OF_ORDER if it has not handed over or has already
 * retired, NOT_FOUND, VERSION_CONFLICT.
 *
 * @param options.revokesCertificates whether to revoke and delete the certificates that have not expired first, in batches, as in an
 *   emergency. If that is interrupted, repeating the call does the rest.
 */
export function retire(
  scope: AccountScope,
  step: Step,
  { revokesCertificates = false }: { readonly revokesCertificates?: boolean } = {},
): Promise<Authority> {
  return takeStep(scope, step, async (found) => {
    const { id } = found;
    let authority = found;
    const successor = await successorOf(scope, found);
    if (revokesCertificates) {
      refuseRetirement(authority, successor, { count: 0, until: null });
      await revokeCertificates(scope, id, scope.now());
      authority = await sshCertificateAuthorities.get(scope, id);
    }
    // After the handover, no more certificates can be added (see `prepareSigning`).
    refuseRetirement(authority, successor, await unendedCertificates(scope, id));
    return close(scope, authority, { retiredAt: scope.now(), sealedPrivateKey: new Uint8Array(0) });
  });
}

/** Returns how many certificates of an authority have not expired, counted in slices, and when the last of them does. */
export async function unendedCertificates(scope: AccountView, id: string): Promise<Unended> {
  const where = unendedOf(scope, id);
  const last = await scope.db.sshHostCertificate.findFirst({
    where,
    orderBy: { validUntil: 'desc' },
    select: { validUntil: true },
  });
  if (last === null) return { count: 0, until: null };
  return { count: await sshHostCertificates.count(scope, where), until: last.validUntil };
}

/** Returns whether an authority has certificates that have not expired. */
export async function hasUnended(scope: AccountView, id: string): Promise<boolean> {
  return (await scope.db.sshHostCertificate.findFirst({ where: unendedOf(scope, id), select: { id: true } })) !== null;
}

function unendedOf({ now }: AccountView, sshCertificateAuthorityId: string) {
  return { sshCertificateAuthorityId, validUntil: { gt: now() } };
}

/** Returns what messages call the successor of an authority; nothing if it has none. */
export async function successorOf(
  { db }: AccountView,
  { successorId }: Pick<Authority, 'successorId'>,
): Promise<string> {
  if (successorId === null) return '';
  const where = { id: successorId };
  const [successor] = await db.sshCertificateAuthority.findMany({ where, select: { id: true, description: true } });
  return called(successor ?? { id: successorId, description: '' });
}

/** Changes an authority that no longer signs, and drops its opened key. */
function close(
  scope: AccountScope,
  { id, version }: Authority,
  columns: { handedOverAt: Date } | { retiredAt: Date; sealedPrivateKey: Uint8Array<ArrayBuffer> },
): Promise<Authority> {
  const acknowledged = () => openedAuthorityKeys(scope).delete(id);
  return sshCertificateAuthorities.update(scope, id, columns, version, { acknowledged });
}

/** Reads an authority and changes it. Begins anew if it has changed in between; if a version was expected, that then throws. */
function takeStep(
  scope: AccountScope,
  { id, expectedVersion }: Step,
  change: (authority: Authority) => Promise<Authority>,
): Promise<Authority> {
  const attempt = async () => {
    const authority = await sshCertificateAuthorities.get(scope, id);
    const { version } = authority;
    expectVersion(expectedVersion, version);
    return change(authority);
  };
  const isOvertaken = (error: unknown) => isMissingRow(error) || (expectedVersion == null && isVersionConflict(error));
  return unlessOvertaken(attempt, isOvertaken);
}
