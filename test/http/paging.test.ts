// Pages stay exact while other clients change the list.

import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { columnsBehind } from '../../src/graphql/lists/page-columns.ts';
import { schema } from '../../src/graphql/schema.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { baseUrl, startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** Creates policies, and returns their ids, newest first. */
async function createPolicies(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.unshift((await service.rest('POST', '/ip_policies', {})).body.id);
  return ids;
}

function pathOf(uri: string): string {
  expect(uri.startsWith(`${baseUrl}/ip_policies?`)).toBe(true);
  return uri.slice(baseUrl.length);
}

test('250 objects are paged through exactly once while others delete and create', async () => {
  const all = await createPolicies(250);
  const deleted = new Set<string>();
  const remove = async (id: string | undefined) => {
    if (id === undefined || deleted.has(id)) return;
    deleted.add(id);
    expect((await service.rest('DELETE', `/ip_policies/${id}`)).status).toBe(204);
  };

  const seen: string[] = [];
  let pages = 0;
  for (let path: string | null = '/ip_policies?limit=20'; path !== null; pages++) {
    const { status, body } = await service.rest('GET', path);
    expect(status).toBe(200);
    const page: string[] = body.ip_policies.map(({ id }: { id: string }) => id);
    expect(page.length).toBeGreaterThan(0);
    expect(page.length).toBeLessThanOrEqual(20);
    seen.push(...page);
    path = body.next_page_uri === null ? null : pathOf(body.next_page_uri);
    // Between two pages, the object of the cursor is deleted, one that was read, and two that were not; and two are created.
    await remove(page.at(-1));
    await remove(page[3]);
    const rest = all.slice(all.indexOf(page.at(-1) ?? '') + 1).filter((id) => !deleted.has(id));
    if (rest.length > 30) await Promise.all([remove(rest[0]), remove(rest[7])]);
    await createPolicies(2);
  }

  expect(pages).toBeGreaterThan(10);
  expect(new Set(seen).size).toBe(seen.length);
  const stable = all.filter((id) => !deleted.has(id));
  expect(seen.filter((id) => stable.includes(id))).toEqual(stable);
  // Nothing that was created meanwhile appears.
  expect(seen.every((id) => all.includes(id))).toBe(true);
  expect(deleted.size).toBeGreaterThan(30);
});

describe('a list that is asked for nothing of its page', () => {
  test.each([
    '{ ipPolicies { totalCount } }',
    '{ ipPolicies(first: 1) { ...Whole ... on IpPolicyConnection { uri } } } fragment Whole on IpPolicyConnection { totalCount __typename }',
  ])('is counted by one statement: %s', async (query) => {
    const statements = await statementsOf(service, async () => {
      const { data, errors } = await service.graphql(query);
      expect(errors).toBeUndefined();
      expect(data.ipPolicies.totalCount).toBeGreaterThan(0);
    });
    expect(statements).toEqual([expect.stringContaining('"ObjectCount"')]);
  });

  test('is read where anything of the page may be shown', async () => {
    const query = `query ($shown: Boolean!) {
      ipPolicies(first: 1) { totalCount pageInfo @include(if: $shown) { hasNextPage } } }`;
    const { data } = await service.graphql(query, { shown: true });
    expect(data.ipPolicies.pageInfo).toEqual({ hasNextPage: true });
  });

  test.each([
    ['first: 0', 'first'],
    ['first: 101', 'first'],
    ['after: "nonsense"', 'after'],
  ])('refuses %s all the same', async (args, field) => {
    const { data, errors } = await service.graphql(`{ ipPolicies(${args}) { totalCount } }`);
    expect(data).toEqual({ ipPolicies: null });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field }]);
  });
});

describe('a page is read with the columns that its document selects', () => {
  /** Returns the columns of the statement that an action reads its page with. */
  const columnsOf = async (action: () => Promise<unknown>) => {
    const [statement = ''] = await statementsOf(service, action);
    return /^SELECT (.*?) FROM/.exec(statement)?.[1]?.replaceAll('"', '').split(', ');
  };
  const list = (selected: string, args = '(first: 2)', field = 'ipPolicies') =>
    columnsOf(async () => {
      const { errors } = await service.graphql(`{ ${field}${args} { ${selected} } }`);
      expect(errors).toBeUndefined();
    });

  test('on both surfaces, along with that of the order', async () => {
    expect(await columnsOf(() => service.rest('GET', '/ip_policies'))).toEqual([
      'createdAt',
      'description',
      'id',
      'metadata',
    ]);
    expect(await list('nodes { uri __typename ... on Resource { version } }')).toEqual(['id', 'version']);
    expect(await list('edges { node { description } }', '(orderBy: updated_at_asc)')).toEqual([
      'description',
      'id',
      'updatedAt',
    ]);
    // Their states are most of what events have.
    expect(await list('nodes { id uri kind }', '(first: 2)', 'auditEvents')).toEqual(['id', 'kind']);
  });

  test('which are columns, whatever is selected', () => {
    const { models } = getDatamodel().datamodel;
    const wrong = Object.entries(models).flatMap(([model, { fields }]) => {
      const type = schema.getType(model);
      if (!isObjectType(type)) return [];
      const known = fields.filter(({ kind }) => kind !== 'object').map(({ name }) => name);
      return Object.keys(type.getFields()).filter((name) =>
        (columnsBehind(type, name) ?? []).some((column) => !known.includes(column)),
      );
    });
    expect(wrong).toEqual([]);
  });

  test('or all of them, if a field does not say what it reads, or documents have chosen too many different ones', async () => {
    expect(await list('nodes { id rules(first: 1) { uri } }')).toContain('rulesVersion');
    const fields = ['createdAt', 'updatedAt', 'description', 'metadata', 'version'];
    const choices = Array.from({ length: 32 }, (_, bits) => fields.filter((_, index) => bits & (1 << index)));
    const read: (string[] | undefined)[] = [];
    for (const chosen of choices) read.push(await list(`nodes { id ${chosen.join(' ')} }`));
    expect(read.filter((columns) => columns?.includes('rulesVersion')).length).toBeGreaterThan(15);
    // The service's own documents are few.
    expect(await columnsOf(() => service.rest('GET', '/ip_policies'))).toHaveLength(4);
  });
});
