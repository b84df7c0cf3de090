// Lists in every order, narrowed by a search text and by filters: pages stay exact, and a cursor belongs to one order.

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/graphql/kit/context.ts';
import { searchedText } from '../../src/graphql/kit/search-query.ts';
import { listOrders, newestFirst, readInOrder } from '../../src/graphql/lists/list-order.ts';
import { Budget } from '../../src/load/budget.ts';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import { dataOf, errorOf } from '../support/answers.ts';
import { copyRow, lateId } from '../support/crowd.ts';
import { openClient } from '../support/database.ts';
import { type Client, startService, type TestService } from '../support/service.ts';
import { hostKeys } from '../support/ssh.ts';
import { statementsOf } from '../support/statements.ts';

const ipPolicyRules = collectionOf('IpPolicyRule');

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

type Args = Readonly<Record<string, unknown>>;

/** Returns a part of a list of policies. */
async function policies({ graphql }: Client, args: Args) {
  const query = `query ($first: Int, $last: Int, $after: ID, $before: ID, $orderBy: ListOrder, $search: String) {
    list: ipPolicies(first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy, search: $search) {
      totalCount nextPageUri nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`;
  return dataOf(await graphql(query, args)).list;
}
const idsOf = (list: { nodes: { id: string }[] }) => list.nodes.map(({ id }) => id);

/** Creates policies, each a second after the previous one, and returns their ids, oldest first. */
async function makePolicies(account: TestService, ...descriptions: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, description] of descriptions.entries()) {
    account.setTime(new Date(Date.UTC(2026, 10, 21) + index * 1_000));
    ids.push((await account.rest('POST', '/ip_policies', { description })).body.id);
  }
  return ids;
}

/** Reads a whole list page by page, from either end. */
async function inPages(client: Client, args: Args, size: number, backward: boolean): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const list = await policies(client, {
      ...args,
      ...(backward ? { last: size, before: cursor } : { first: size, after: cursor }),
    });
    const ids = idsOf(list);
    if (backward) seen.unshift(...ids);
    else seen.push(...ids);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = list.pageInfo;
    expect(backward ? hasNextPage : hasPreviousPage).toBe(cursor !== undefined);
    if (!(backward ? hasPreviousPage : hasNextPage)) return seen;
    cursor = backward ? startCursor : endCursor;
  }
}

describe('the order of a list', () => {
  let account: TestService;
  /** The policies from the oldest to the newest, and from the earliest change to the latest. */
  let created: string[];
  let updated: string[];
  beforeAll(async () => {
    account = await service.asNewAccount();
    created = await makePolicies(account, ...Array.from({ length: 9 }, (_, number) => `policy ${number}`));
    // Three update times, each shared by three policies: among those, ids decide the order.
    const changes = [8, 1, 4, 0, 6, 3, 5, 2, 7].map((place) => created[place] ?? '');
    for (const [index, id] of changes.entries()) {
      account.setTime(new Date(Date.UTC(2026, 10, 22) + Math.floor(index / 3) * 1_000));
      expect((await account.rest('PATCH', `/ip_policies/${id}`, { metadata: 'changed' })).status).toBe(200);
    }
    updated = [0, 3, 6].flatMap((start) => changes.slice(start, start + 3).sort());
  });

  const expected = (order: string | null): string[] => {
    const ascending = order?.startsWith('updated') ? updated : created;
    return order?.endsWith('asc') ? ascending : ascending.toReversed();
  };

  test.each([null, 'created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc'])(
    '%s is the same in pages of every size, from either end, with and without a text',
    async (orderBy) => {
      for (const search of [null, 'policy']) {
        const whole = await policies(account, { orderBy, search });
        expect(idsOf(whole)).toEqual(expected(orderBy));
        expect(whole.totalCount).toBe(9);
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.boolean(), async (size, backward) => {
            expect(await inPages(account, { orderBy, search }, size, backward)).toEqual(expected(orderBy));
          }),
          { numRuns: 4 },
        );
      }
    },
  );

  test('is that of the page between two cursors', async () => {
    const { edges } = await policies(account, { orderBy: 'updated_at_asc' });
    const [after, before] = [edges[1].cursor, edges[6].cursor];
    for (const search of [null, 'policy']) {
      const args = { orderBy: 'updated_at_asc', search, after, before };
      expect(idsOf(await policies(account, { ...args, first: 2 }))).toEqual(updated.slice(2, 4));
      expect(idsOf(await policies(account, { ...args, last: 2 }))).toEqual(updated.slice(4, 6));
    }
  });

  test('is told by its cursors, but for the one that lists have always had', async () => {
    const cursorIn = async (orderBy: string) => (await policies(account, { first: 1, orderBy })).pageInfo.endCursor;
    expect(await cursorIn('created_at_desc')).toBe(created[8]);
    expect(await cursorIn('created_at_asc')).toBe(`${created[0]}.created_at_asc`);
    expect(await cursorIn('updated_at_desc')).toBe(`${updated[8]}.1795305602000.updated_at_desc`);
    expect(await cursorIn('updated_at_asc')).toBe(`${updated[0]}.1795305600000.updated_at_asc`);
  });

  test.each(['created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc'])(
    '%s takes no cursor of another',
    async (orderBy) => {
      for (const other of ['created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc']) {
        const cursor = (await policies(account, { first: 3, orderBy: other })).pageInfo.endCursor;
        for (const field of ['after', 'before']) {
          const answer = await account.graphql(
            `{ ipPolicies(first: 2, orderBy: ${orderBy}, ${field}: "${cursor}") { totalCount } }`,
          );
          if (other === orderBy) expect(dataOf(answer).ipPolicies.totalCount).toBe(9);
          else {
            expect(errorOf(answer)).toEqual({
              code: 'INVALID_INPUT',
              field,
              message: `${field}: is a cursor of another order. Leave it out to begin with the first page of this one.`,
            });
          }
        }
      }
    },
  );

  test.each([
    'x',
    'ipp_1.1.updated_at_asc',
    'ipr_01h455vb4pex5vsknk084sn02q.1.updated_at_asc',
    'ipp_01h455vb4pex5vsknk084sn02q.999999999999999.updated_at_asc',
    'ipp_01h455vb4pex5vsknk084sn02q.-1.updated_at_asc',
    'ipp_01h455vb4pex5vsknk084sn02q.1.updated_at_asc.more',
  ])('has no cursor %s', async (after) => {
    const answer = await account.graphql(`{ ipPolicies(orderBy: updated_at_asc, after: "${after}") { totalCount } }`);
    expect(errorOf(answer)).toEqual({
      code: 'INVALID_INPUT',
      field: 'after',
      message: 'after: must be a cursor from an earlier page of this list.',
    });
  });

  test('is one of a few', async () => {
    const { status, errors } = await account.graphql('{ ipPolicies(orderBy: description_asc) { totalCount } }');
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, ['GRAPHQL_INVALID']]);
  });

  test('leads to no page over REST where REST does not have it', async () => {
    expect((await policies(account, { first: 1 })).nextPageUri).toContain('/ip_policies?limit=1&before_id=');
    expect((await policies(account, { first: 1, orderBy: 'updated_at_desc' })).nextPageUri).toBeNull();
    expect((await policies(account, { first: 1, search: 'policy' })).nextPageUri).toBeNull();
  });
});

test('what is changed, made and deleted between two pages neither hides nor repeats anything else', async () => {
  const account = await service.asNewAccount();
  const ids = await makePolicies(account, ...Array.from({ length: 6 }, () => 'office'));
  const down = ids.toReversed();
  for (const search of [null, 'office']) {
    const args = { orderBy: 'updated_at_desc', search };
    const first = await policies(account, { ...args, first: 2 });
    expect(idsOf(first)).toEqual(down.slice(0, 2));
    account.setTime(new Date(Date.UTC(2026, 10, 23)));
    // The object of the cursor is changed, which moves it to the beginning.
    await account.rest('PATCH', `/ip_policies/${down[1]}`, { metadata: `${search}` });
    const made = (await account.rest('POST', '/ip_policies', { description: 'office' })).body.id;
    const second = await policies(account, { ...args, first: 2, after: first.pageInfo.endCursor });
    expect(idsOf(second)).toEqual(down.slice(2, 4));
    await account.rest('DELETE', `/ip_policies/${made}`);
    // Restores the time of its last change.
    const client = await openClient(service.database);
    await client.ipPolicy.update({
      where: { id: down[1] ?? '' },
      data: { updatedAt: new Date(Date.UTC(2026, 10, 21, 0, 0, 4)) },
    });
  }
});

describe('the text that objects of a list hold', () => {
  const found = async (client: Client, search: string, rest: Args = {}) =>
    idsOf(await policies(client, { search, ...rest }));

  test('is what was written, in letters of ASCII of either case', async () => {
    const account = await service.asNewAccount();
    const texts = [
      '100% of Ops_team',
      '100 per cent',
      'Ops-team',
      'ÄRGER und Öl',
      "back\\slash 'quoted'",
      'Zürich 東京 🚀',
    ];
    const ids = await makePolicies(account, ...texts);
    const places = async (search: string) => (await found(account, search)).map((id) => ids.indexOf(id));
    expect(await places('100%')).toEqual([0]);
    expect(await places('%')).toEqual([0]);
    expect(await places('ops_TEAM')).toEqual([0]);
    expect(await places('_')).toEqual([0]);
    expect(await places('OPS')).toEqual([2, 0]);
    expect(await places('ÄRGER')).toEqual([3]);
    expect(await places('Ärger')).toEqual([3]);
    // Only ASCII letters: the engines treat different other letters as equal.
    expect(await places('ärger')).toEqual([]);
    expect(await places('\\SLASH')).toEqual([4]);
    expect(await places("'quoted'")).toEqual([4]);
    expect(await places('東京 🚀')).toEqual([5]);
    expect(await places('nowhere')).toEqual([]);
  });

  test('may be the beginning of an id, and an id finds its object', async () => {
    const account = await service.asNewAccount();
    const [first = '', second = ''] = await makePolicies(account, 'one', 'two');
    expect(await found(account, 'IPP_')).toEqual([second, first]);
    expect(await found(account, first.toUpperCase())).toEqual([first]);
    expect(await found(account, first.slice(1))).toEqual([]);
    expect(await found(await service.asNewAccount(), first)).toEqual([]);
  });

  test('stands in the fields that search looks into, and not in how they are stored', async () => {
    const account = await service.asNewAccount();
    const make = async (path: string, body: object) => (await account.rest('POST', path, body)).body.id;
    const edge = await make('/edges/https', { hostports: ['shop.example.com:443', 'www.example.com:8443'] });
    const backend = await make('/backends/tunnel_group', { labels: { region: 'eu', 'a,b': 'c' } });
    const tls = await make('/edges/tls', { hostports: ['db.example.com:5432'] });
    const count = async (list: string, search: string) =>
      dataOf(
        await account.graphql(
          `query ($search: String) { list: ${list}(search: $search) { totalCount nodes { id } } }`,
          { search },
        ),
      ).list;
    const one = (id: string) => ({ totalCount: 1, nodes: [{ id }] });
    const none = { totalCount: 0, nodes: [] };
    expect(await count('httpsEdges', 'WWW.example.com:8443')).toEqual(one(edge));
    expect(await count('tlsEdges', ':5432')).toEqual(one(tls));
    expect(await count('tunnelGroupBackends', 'EU')).toEqual(one(backend));
    for (const text of ['"', ',', '[', '", "', '","'])
      expect([text, await count('httpsEdges', text)]).toEqual([text, none]);
    expect(await count('tunnelGroupBackends', '":"')).toEqual(none);
  });

  test('may be in a fingerprint that is computed', async () => {
    const account = await service.asNewAccount();
    const made = [];
    for (let number = 0; number < 3; number += 1) {
      made.push((await account.rest('POST', '/ssh_certificate_authorities', { private_key_type: 'ed25519' })).body.id);
    }
    const of = `{ one: sshCertificateAuthority(id: "${made[1]}") { fingerprint } }`;
    const { fingerprint } = dataOf(await account.graphql(of)).one;
    const list = `query ($search: String) { list: sshCertificateAuthorities(search: $search, orderBy: updated_at_asc) {
      totalCount nodes { id } } }`;
    for (const search of [fingerprint, fingerprint.slice(7, 20)]) {
      expect(dataOf(await account.graphql(list, { search })).list).toEqual({ totalCount: 1, nodes: [{ id: made[1] }] });
    }
    expect(dataOf(await account.graphql(list, { search: 'SHA256:nowhere00' })).list).toEqual({
      totalCount: 0,
      nodes: [],
    });
  });

  test('goes with every filter of host certificates', async () => {
    const account = await service.asNewAccount();
    const authority = (await account.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    const make = async (description: string, name: string, valid_until: string) => {
      const body = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, description };
      return (await account.rest('POST', '/ssh_host_certificates', { ...body, principals: [name], valid_until })).body
        .id;
    };
    const web = await make('rack 1', 'web.example.com', '2027-03-01T00:00:00Z');
    const db = await make('rack 1', 'db.example.com', '2027-02-01T00:00:00Z');
    const old = await make('rack 2', 'db.example.com', '2027-01-01T00:00:00Z');
    const certificates = async (args: string) =>
      idsOf(dataOf(await account.graphql(`{ list: sshHostCertificates(${args}) { nodes { id } } }`)).list);
    expect(await certificates('search: "rack", orderBy: valid_until_asc')).toEqual([old, db, web]);
    expect(await certificates('search: "rack 1", orderBy: valid_until_desc')).toEqual([web, db]);
    expect(await certificates('search: "rack", principal: "db.example.com"')).toEqual([old, db]);
    expect(await certificates('search: "rack 1", principal: "db.example.com"')).toEqual([db]);
    expect(await certificates('search: "rack", principal: "nowhere.example.com"')).toEqual([]);
    expect(await certificates('search: "rack", replaced: false, validUntilBefore: "2027-02-15T00:00:00Z"')).toEqual([
      old,
      db,
    ]);
    expect(await certificates('search: "rack", replaced: true')).toEqual([]);
    expect(await certificates('search: "rack", validUntilAfter: "2027-01-15T00:00:00Z"')).toEqual([db, web]);
    expect(await certificates(`search: "EXAMPLE.com", sshCertificateAuthorityId: "${authority}"`)).toEqual([
      old,
      db,
      web,
    ]);
    // A name shared by many is a separate condition.
    const accountId = dataOf(await account.graphql('{ viewer { account { id } } }')).viewer.account.id;
    const where = { names: { some: { accountId, name: 'db.example.com' } } };
    const fields = [searchedText('description')];
    const list = { model: 'SshHostCertificate', fields, text: 'rack', where, within: {} };
    const part = { take: 1, backward: false, after: undefined, before: undefined };
    const { searchedList } = account.storage.forAccount(accountId).rows;
    const found = await searchedList(list, { column: undefined, ascending: true }, part);
    expect([found.positions.map(({ id }) => id), found.count, found.isPartial]).toEqual([[db], 2, false]);
  });

  test('is looked for in slices, of which each has an end and a statement, once for the page and the number', async () => {
    const account = await service.asNewAccount();
    await makePolicies(account, 'office', 'office', 'home');
    const query =
      '{ ipPolicies(search: "office", orderBy: updated_at_desc, first: 1) { totalCount nodes { description } } }';
    const statements = await statementsOf(service, async () => {
      expect(dataOf(await account.graphql(query)).ipPolicies).toEqual({
        totalCount: 2,
        nodes: [{ description: 'office' }],
      });
    });
    // The third statement reads the objects of the page.
    expect(statements).toHaveLength(3);
    expect(statements.filter((sql) => sql.includes(' OFFSET '))).toHaveLength(1);
  });

  test('is looked for in the newest ten thousand, and the list says where it has older ones', async () => {
    const account = await service.asNewAccount();
    const [id = ''] = await makePolicies(account, 'the oldest');
    const columns = ['id', 'accountId', 'description', 'version', 'createdAt', 'updatedAt'];
    const found = async (search: string | null) => {
      const query =
        'query ($search: String) { list: ipPolicies(search: $search, first: 1) { totalCount searchedInPart } }';
      return dataOf(await account.graphql(query, { search })).list;
    };
    await copyRow(service.database, 'IpPolicy', id, 9_999, { description: "'copy'" }, columns);
    expect(await found('oldest')).toEqual({ totalCount: 1, searchedInPart: false });
    await makePolicies(account, 'one more');
    const all = 'query ($search: String) { list: ipPolicies(search: $search) { searchedInPart } }';
    expect(dataOf(await account.graphql(all, { search: 'copy' })).list).toEqual({ searchedInPart: true });
    // The clock of the test is behind that of the copies, so that both are older than all of the copies.
    expect(await found('one more')).toEqual({ totalCount: 1, searchedInPart: true });
    expect(await found('oldest')).toEqual({ totalCount: 0, searchedInPart: true });
    expect(await found(id)).toEqual({ totalCount: 1, searchedInPart: true });
    expect(await found(null)).toEqual({ totalCount: 10_001, searchedInPart: false });
  });

  test.each([
    ['', 'must not be empty.'],
    ['ä'.repeat(128), 'must be at most 255 bytes of UTF-8; it has 256.'],
    ['a\u0000', 'must not contain the NUL character (U+0000).'],
  ])('is not %j', async (search, message) => {
    const answer = await service.graphql('query ($search: String) { ipPolicies(search: $search) { totalCount } }', {
      search,
    });
    expect(errorOf(answer)).toEqual({ code: 'INVALID_INPUT', field: 'search', message: `search: ${message}` });
  });

  test('is asked for in no more than fourteen lists of a document', async () => {
    const many = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: apiKeys(search: "x${index}") { totalCount }`).join(' ')} }`;
    expect((await service.graphql(many(14))).errors).toBeUndefined();
    expect((await service.graphql(many(15))).errors?.at(0)?.extensions.code).toBe('QUERY_TOO_COMPLEX');
  });
});

describe('rules', () => {
  let account: TestService;
  const ids: Record<string, string> = {};
  const policy: Record<string, string> = {};
  beforeAll(async () => {
    account = await service.asNewAccount();
    for (const name of ['one', 'two']) {
      policy[name] = (await account.rest('POST', '/ip_policies', { description: name })).body.id;
      for (const [cidr, action] of [
        ['10.0.0.0/8', 'allow'],
        ['10.1.2.0/24', 'deny'],
        ['2001:db8::/32', 'deny'],
      ]) {
        const rule = await account.rest('POST', '/ip_policy_rules', { ip_policy_id: policy[name], cidr, action });
        ids[rule.body.id] = `${name} ${cidr}`;
      }
    }
  });
  const rules = async (args: string) => {
    const { list } = dataOf(await account.graphql(`{ list: ipPolicyRules(${args}) { totalCount nodes { id } } }`));
    expect(list.totalCount).toBe(list.nodes.length);
    return idsOf(list).map((id) => ids[id]);
  };

  test('are found by an address in their ranges and by what they do', async () => {
    expect(await rules('contains: "10.1.2.3"')).toEqual([
      'two 10.1.2.0/24',
      'two 10.0.0.0/8',
      'one 10.1.2.0/24',
      'one 10.0.0.0/8',
    ]);
    expect(await rules('contains: "10.1.3.0", action: allow')).toEqual(['two 10.0.0.0/8', 'one 10.0.0.0/8']);
    expect(await rules('contains: "::ffff:10.1.2.255", action: deny')).toEqual(['two 10.1.2.0/24', 'one 10.1.2.0/24']);
    expect(await rules('contains: "2001:DB8:0::1"')).toEqual(['two 2001:db8::/32', 'one 2001:db8::/32']);
    expect(await rules('contains: "11.0.0.0"')).toEqual([]);
    expect(await rules(`action: deny, ipPolicyId: "${policy.one}"`)).toEqual(['one 2001:db8::/32', 'one 10.1.2.0/24']);
    expect(await rules(`contains: "10.1.2.3", ipPolicyId: "${policy.two}", orderBy: created_at_asc`)).toEqual([
      'two 10.0.0.0/8',
      'two 10.1.2.0/24',
    ]);
    expect(await rules('contains: "10.1.2.3", search: "/24"')).toEqual(['two 10.1.2.0/24', 'one 10.1.2.0/24']);
    expect(await rules(`action: deny, search: "db8", ipPolicyId: "${policy.one}"`)).toEqual(['one 2001:db8::/32']);
    expect(await rules('search: "10.1.2.9", orderBy: updated_at_asc, action: deny')).toEqual([
      'one 10.1.2.0/24',
      'two 10.1.2.0/24',
    ]);
  });

  test('are found where few of many are wanted, in every order and from either end', async () => {
    const many = await service.asNewAccount();
    const ip_policy_id = (await many.rest('POST', '/ip_policies', {})).body.id;
    const rule = (await many.rest('POST', '/ip_policy_rules', { ip_policy_id, cidr: '10.0.0.0/8', action: 'allow' }))
      .body.id;
    const columns = ['id', 'accountId', 'ipPolicyId', 'cidr', 'range', 'action', 'version', 'createdAt', 'updatedAt'];
    // SQLite reads this many in several parts.
    const changed = { range: "'r' || n", action: "CASE WHEN n % 5000 = 17 THEN 'deny' ELSE 'allow' END" };
    await copyRow(service.database, 'IpPolicyRule', rule, 11_000, changed, columns);
    const few = [10_017, 5_017, 17].map((number) => lateId('IpPolicyRule', number));
    // The oldest rule is changed last.
    many.setTime(new Date(Date.UTC(2026, 10, 22)));
    await many.rest('PATCH', `/ip_policy_rules/${few[2]}`, { metadata: 'changed' });
    const updated = [few[1], few[0], few[2]];
    const page = async (args: string) => {
      const query = `{ list: ipPolicyRules(ipPolicyId: "${ip_policy_id}", action: deny, ${args}) {
        totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
      const { list } = dataOf(await many.graphql(query));
      expect(list.totalCount).toBe(3);
      return list;
    };
    const orders = {
      created_at_desc: few,
      created_at_asc: few.toReversed(),
      updated_at_asc: updated,
      updated_at_desc: updated.toReversed(),
    };
    // Reading stops once nobody waits for it.
    const gone = new Error('gone');
    const accountId = dataOf(await many.graphql('{ viewer { account { id } } }')).viewer.account.id;
    const scope = many.storage.forAccount(accountId);
    // Everything that reading a page needs from a context.
    const pacing = { budget: new Budget(false), charge: () => {}, signal: () => AbortSignal.abort(gone) };
    const context = { scope, identity: { accountId }, ...pacing } as unknown as Context;
    const list = { collection: ipPolicyRules, where: { ipPolicyId: ip_policy_id, action: 'deny' }, within: {} };
    for (const order of ['created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc'] as const) {
      const part = { take: 10, backward: false, after: undefined, before: undefined };
      const read = readInOrder(list, listOrders.values[order] ?? newestFirst, part, context);
      await expect(read).rejects.toBe(gone);
    }
    for (const [orderBy, expected] of Object.entries(orders)) {
      expect([orderBy, idsOf(await page(`orderBy: ${orderBy}`))]).toEqual([orderBy, expected]);
      const first = await page(`orderBy: ${orderBy}, first: 2`);
      expect([idsOf(first), first.pageInfo.hasNextPage]).toEqual([expected.slice(0, 2), true]);
      const next = await page(`orderBy: ${orderBy}, first: 2, after: "${first.pageInfo.endCursor}"`);
      expect([idsOf(next), next.pageInfo.hasNextPage]).toEqual([expected.slice(2), false]);
      const last = await page(`orderBy: ${orderBy}, last: 2`);
      expect([idsOf(last), last.pageInfo.hasPreviousPage]).toEqual([expected.slice(1), true]);
      const before = await page(`orderBy: ${orderBy}, last: 2, before: "${last.pageInfo.startCursor}"`);
      expect([idsOf(before), before.pageInfo.hasPreviousPage]).toEqual([expected.slice(0, 1), false]);
    }
  });

  test('are found so within their policies', async () => {
    const list = 'totalCount nodes { id }';
    const query = `{ ipPolicies(orderBy: created_at_asc) { nodes {
      holding: rules(contains: "10.1.2.3") { ${list} } denying: rules(action: deny, first: 1) { ${list} pageInfo { hasNextPage } }
    } } }`;
    const { nodes } = dataOf(await account.graphql(query)).ipPolicies;
    for (const [index, name] of ['one', 'two'].entries()) {
      const { holding, denying } = nodes[index];
      expect([holding.totalCount, idsOf(holding).map((id) => ids[id])]).toEqual([
        2,
        [`${name} 10.1.2.0/24`, `${name} 10.0.0.0/8`],
      ]);
      expect([denying.totalCount, idsOf(denying).map((id) => ids[id])]).toEqual([2, [`${name} 2001:db8::/32`]]);
      expect(denying.pageInfo).toEqual({ hasNextPage: true });
    }
  });

  test.each(['10.1.2', '10.0.0.0/8', 'fe80::1%eth0', ''])(
    'are not found by %j, which is no address',
    async (contains) => {
      const message = 'contains: must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1.';
      const error = { code: 'INVALID_INPUT', field: 'contains', message };
      expect(errorOf(await account.graphql(`{ ipPolicyRules(contains: "${contains}") { totalCount } }`))).toEqual(
        error,
      );
      const inner = `{ ipPolicy(id: "${policy.one}") { rules(contains: "${contains}") { totalCount } } }`;
      expect(errorOf(await account.graphql(inner))).toEqual(error);
    },
  );
});

test('restrictions are found by whether they are enforced', async () => {
  const account = await service.asNewAccount();
  const ip_policy_ids = await makePolicies(account, 'any');
  const make = async (type: string, enforced: boolean) =>
    (await account.rest('POST', '/ip_restrictions', { type, enforced, ip_policy_ids })).body.id;
  const warning = await make('agent', false);
  const enforced = await make('endpoints', true);
  const other = await make('agent', true);
  const restrictions = async (args: string) => {
    const { list } = dataOf(await account.graphql(`{ list: ipRestrictions(${args}) { totalCount nodes { id } } }`));
    expect(list.totalCount).toBe(list.nodes.length);
    return idsOf(list);
  };
  expect(await restrictions('enforced: true')).toEqual([other, enforced]);
  expect(await restrictions('enforced: false')).toEqual([warning]);
  expect(await restrictions('enforced: true, type: agent, search: "ipx_"')).toEqual([other]);
  expect(await restrictions('enforced: true, orderBy: updated_at_asc')).toEqual([enforced, other]);
});
