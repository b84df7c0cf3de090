// What people may do: by the groups that came with their last sign-in, the mappings of their provider, and the roles of the account.

import { LRUCache } from 'lru-cache';
import { impliedScopes, type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import { areRoleMappings, nameOfPerson, rolesFor, scopesOfRoles } from '../../domain/access/roles.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { trustMs } from '../objects/freshness.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { joined, type Sql, sql, toPowerOfTwo, verbatim } from '../sql/statement.ts';

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
/** Most people who are read at once. */
const readMax = 100;

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

  /** Reads the rights of those people `p` of one account who fulfil a condition and are let in, by their ids. */
  const read = async (condition: Sql, readAtMs: number): Promise<Map<string, PersonRights>> => {
    const found = await reads.rows(sql`
      SELECT p."id", p."accountId", p."name", p."email", p."subject", p."groups", p."signedInAt", s."roleMappings"
      FROM "Person" p JOIN "SignInProvider" s ON s."id" = p."providerId" AND s."accountId" = p."accountId"
      WHERE ${condition} AND ${isLetIn} ORDER BY p."id" DESC LIMIT ${readMax}`);
    const described = found.map(([id, accountId, name, email, subject, groups, signedInAt, stored]) => {
      const mappings = readAs(jsonOf(stored), areRoleMappings, 'role mappings');
      return {
        id: String(id),
        accountId: String(accountId),
        roles: rolesFor({ groups: readTextList(jsonOf(groups)), email: String(email) }, mappings),
        called: nameOfPerson({ name: String(name), email: String(email), subject: String(subject) }),
        signedInAt: reads.decode.DateTime(signedInAt),
      };
    });
    const [first] = described;
    if (first === undefined) return new Map();
    const names = [...new Set(['', ...described.flatMap(({ roles }) => roles)])];
    const own = await reads.rows(sql`
      SELECT "name", "scopes" FROM "Role" WHERE "accountId" = ${first.accountId} AND "name" IN (${joined(toPowerOfTwo(names))})`);
    const ownRoles = new Map(own.map(([role, scopes]) => [String(role), readScopes(String(scopes))]));
    return new Map(
      described.map(({ id, roles, ...person }) => {
        const scopes = scopesOfRoles(roles, ownRoles);
        return [id, { ...person, scopes, rights: impliedScopes(scopes), readAtMs }];
      }),
    );
  };

  /** Finds a person who may do something; null for any other. */
  const find = async (id: string): Promise<PersonRights | null> => {
    const known = trusted.get(id);
    if (known !== undefined) return known;
    const changesBefore = changes;
    const start = performance.now();
    const [person] = (await read(sql`p."id" = ${id}`, start)).values();
    if (person === undefined) return null;
    if (changes === changesBefore) trusted.set(id, person, { start });
    return person;
  };

  return {
    find,
    findAllowed,

    /** Finds the newest people of an account who are let in, at most a hundred, with what they may do. */
    findNewest: (accountId: string): Promise<ReadonlyMap<string, PersonRights>> =>
      read(sql`p."accountId" = ${accountId}`, performance.now()),

    /** Forgets what people may do, because something that it depends on has changed. */
    forget(): void {
      changes += 1;
      trusted.clear();
    },
  };
}
