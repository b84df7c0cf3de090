// What people may do: by the groups that came with their last sign-in, the mappings of their provider, and the roles of the account.

import { LRUCache } from 'lru-cache';
import { impliedScopes, type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import { areRoleMappings, nameOfPerson, rolesFor, scopesOfRoles } from '../../domain/access/roles.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { trustMs } from '../objects/freshness.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { joined, sql, toPowerOfTwo, verbatim } from '../sql/statement.ts';

/** A person who is not kept out, as far as requests need to know. */
export interface PersonRights {
  readonly accountId: string;
  /** The scopes of the person's roles, and all that they imply. */
  readonly scopes: readonly KeyScope[];
  readonly rights: ReadonlySet<KeyScope>;
  /** What the trail calls the person. */
  readonly called: string;
  readonly signedInAt: Date;
  /** When this was read (`performance.now`), as of which it is. */
  readonly readAtMs: number;
}

/** Most people whose rights are kept. */
const trustedMax = 1_000;

/** The condition that a person `p` is let in by the provider `s`. */
const isLetIn = verbatim(`p."blocked" = FALSE AND s."enabled" = TRUE AND p."signedInAt" >= s."acceptsFrom"`);

/** Creates the look-up. What it finds is trusted as long as the owners of tokens are. */
export function createPeopleReads(reads: ServerReads) {
  const trusted = new LRUCache<string, PersonRights>({ max: trustedMax, ttl: trustMs });
  let changes = 0;
  const jsonOf = (value: unknown) => reads.decode.Json?.(value) ?? value;

  /** Returns those of some people who are not kept out: whether they still have a role is asked with each request. */
  const findAllowed = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (ids.length === 0) return new Set();
    const found = await reads.rows(sql`
      SELECT p."id" FROM "Person" p JOIN "SignInProvider" s ON s."id" = p."providerId" AND s."accountId" = p."accountId"
      WHERE p."id" IN (${joined(toPowerOfTwo([...new Set(ids)]))}) AND ${isLetIn}`);
    return new Set(found.map(([id]) => String(id)));
  };

  /** Finds a person who may do something; null for any other. */
  const find = async (id: string): Promise<PersonRights | null> => {
    const known = trusted.get(id);
    if (known !== undefined) return known;
    const changesBefore = changes;
    const start = performance.now();
    const [found] = await reads.rows(sql`
      SELECT p."accountId", p."name", p."email", p."subject", p."groups", p."signedInAt", s."roleMappings"
      FROM "Person" p JOIN "SignInProvider" s ON s."id" = p."providerId" AND s."accountId" = p."accountId"
      WHERE p."id" = ${id} AND ${isLetIn}`);
    if (found === undefined) return null;
    const [accountId, name, email, subject, groups, signedInAt, stored] = found;
    const mappings = readAs(jsonOf(stored), areRoleMappings, 'role mappings');
    const roles = rolesFor({ groups: readTextList(jsonOf(groups)), email: String(email) }, mappings);
    const own = await reads.rows(sql`
      SELECT "name", "scopes" FROM "Role" WHERE "accountId" = ${String(accountId)} AND "name" IN (${joined(toPowerOfTwo(['', ...roles]))})`);
    const ownRoles = new Map(own.map(([role, scopes]) => [String(role), readScopes(String(scopes))]));
    const scopes = scopesOfRoles(roles, ownRoles);
    const person: PersonRights = {
      accountId: String(accountId),
      called: nameOfPerson({ name: String(name), email: String(email), subject: String(subject) }),
      scopes,
      rights: impliedScopes(scopes),
      signedInAt: reads.decode.DateTime(signedInAt),
      readAtMs: start,
    };
    if (changes === changesBefore) trusted.set(id, person, { start });
    return person;
  };

  return {
    find,
    findAllowed,

    /** Forgets what people may do, because something that it depends on has changed. */
    forget(): void {
      changes += 1;
      trusted.clear();
    },
  };
}
