// Expectations in the database.

import { invalid, SallyportError, unknownReference } from '../../domain/errors.ts';
import { restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isDuplicate } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, NewObject, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { isVersionConflict } from '../../storage/objects/version-conflict.ts';
import { columnsOf, type ExpectationInput, expectationsMax, expectedOf, questionOf } from './rules.ts';

export const expectations = collectionOf('Expectation');

/** The objects that expectations name, by the field. They may outlive them. */
const named = {
  httpsEdgeId: { collection: collectionOf('HttpsEdge'), noun: 'HTTPS edge' },
  tlsEdgeId: { collection: collectionOf('TlsEdge'), noun: 'TLS edge' },
  sshCertificateAuthorityId: { collection: collectionOf('SshCertificateAuthority'), noun: 'certificate authority' },
} as const;

/**
 * Creates an expectation. It may fail from the start.
 *
 * @param object an expectation to restore
 * @throws INVALID_INPUT as `columnsOf`, and if the account has as many as it may; UNKNOWN_REFERENCE; DUPLICATE for its name
 */
export async function createExpectation(
  scope: AccountScope,
  input: ExpectationInput & Notes,
  object?: NewObject,
): Promise<Row<'Expectation'>> {
  const columns = { ...columnsOf(input), ...notesForCreate(input) };
  await checkNamed(scope, columns);
  const everything = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: expectationsMax };
  const existing = await scope.rows.pickRange('Expectation', ['id'], everything);
  if (existing.length === expectationsMax) {
    const message = `The account has ${expectationsMax} expectations, the maximum. Delete some first.`;
    throw new SallyportError('INVALID_INPUT', message, { field: 'name' });
  }
  return namedOnce(() => expectations.create(scope, columns, object === undefined ? {} : { object }));
}

/** What an expectation may lose: in a change, null takes it away. */
const losable: ReadonlySet<string> = new Set(['logged', 'sshCertificateAuthorityId']);

/** What a change gives; absent keeps a value, and so does null for all but what can be lost. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/**
 * Changes an expectation; its kind stays. Throws as `createExpectation`, and as `collection.update`.
 *
 * @param isWhole whether null clears every value, as where an earlier state is put back
 */
export async function updateExpectation(
  scope: AccountScope,
  {
    id,
    expectedVersion,
    ...input
  }: Given<Omit<ExpectationInput, 'kind'>> & Notes & { id: string; expectedVersion?: ExpectedVersion },
  isWhole = false,
): Promise<Row<'Expectation'>> {
  const { description, metadata, ...given } = input;
  const notes = notesForUpdate(input);
  const changed = Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && (value !== null || isWhole || losable.has(name)),
    ),
  );
  if (given.method === '' && !isWhole) throw invalid('method', 'must not be empty.');
  if (Object.keys(changed).length === 0) return expectations.update(scope, id, notes, expectedVersion);
  // What is checked depends on fields that stay as they are.
  const attempt = async () => {
    const stored = await expectations.get(scope, id);
    const { version } = stored;
    const { kind } = questionOf(stored);
    const columns = columnsOf({ ...inputOf(stored), ...changed, kind });
    const newlyNamed = Object.fromEntries(Object.entries(columns).filter(([name]) => Object.hasOwn(changed, name)));
    await checkNamed(scope, newlyNamed);
    return namedOnce(() => expectations.update(scope, id, { ...columns, ...notes }, expectedVersion ?? version));
  };
  return unlessOvertaken(attempt, (error) => expectedVersion == null && isVersionConflict(error));
}

/** Returns the input that a stored expectation is made from. */
function inputOf(stored: Row<'Expectation'>): ExpectationInput {
  const { kind, expected, trafficType, ...others } = stored;
  const question = questionOf(stored);
  const type = restrictionTypes.find((one) => one === trafficType) ?? null;
  return { ...others, ...question, expected: expectedOf(stored).expected, trafficType: type };
}

async function checkNamed(scope: AccountScope, columns: { readonly [name: string]: unknown }): Promise<void> {
  for (const [field, { collection, noun }] of Object.entries(named)) {
    const id = columns[field];
    if (typeof id === 'string' && (await collection.firstUnknown(scope, [id])) !== -1) {
      throw unknownReference(field, noun, id);
    }
  }
}

async function namedOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new SallyportError('DUPLICATE', 'The account already has an expectation of this name.', { field: 'name' });
  }
}
