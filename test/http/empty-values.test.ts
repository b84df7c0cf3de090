// Existing clients send empty values for fields that are not set. Every field of every route accepts only the empty value of its
// own type as "not given".

import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { startService, type TestService } from '../support/service.ts';
import { createWorld, fillPath, freshBody, type IdOf, nameOf } from './world.ts';

let service: TestService;
let ids: IdOf;
beforeAll(async () => {
  service = await startService();
  ids = await createWorld(service);
});

const empties = ['""', '0', '[]', '{}'];
/** The empty values of each type in JSON; if a new field brings a new type, it is added here. */
const emptiesOf: Readonly<Record<string, string[]>> = {
  ID: ['""'],
  String: ['""'],
  Cidr: ['""'],
  UrlPath: ['""'],
  DateTime: ['""', '{}'],
  Int: ['0'],
  UInt32: ['0'],
  Boolean: [],
  JSON: ['{}'],
  enumeration: ['""'],
  list: ['[]'],
  module: [],
};

function typeName(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return 'list';
  if (isInputObjectType(nullable)) return 'module';
  return isEnumType(nullable) ? 'enumeration' : nullable.name;
}

const fields = prepareRoutes(routes, schema)
  .filter(({ route }) => ['POST', 'PATCH', 'PUT'].includes(route.method))
  .flatMap(({ route, inputFields }) =>
    [...inputFields.values()].map(({ name, type, required, positions }) => ({
      route,
      field: name,
      required,
      type: typeName(type),
      label: `${nameOf(route)} ${name}`,
      mayBeEmpty: positions.every(({ extensions }) => !(Object(extensions.jsonSchema).minLength > 0)),
    })),
  );

/** Sends the sample of a route with one field replaced; undefined removes the field. */
async function send({ route, field }: (typeof fields)[number], value: unknown) {
  const body: Record<string, unknown> = { ...freshBody(route, ids) };
  delete body[field];
  if (value !== undefined) body[field] = value;
  return service.rest(route.method, fillPath(route.path, ids), body);
}

test('the table has every field of every body', () => {
  expect(fields.length).toBeGreaterThan(60);
  const unknown = fields.filter(({ type }) => !(type in emptiesOf));
  expect(unknown.map(({ type, label }) => `emptiesOf lacks ${type}, the type of ${label}`)).toEqual([]);
});

describe('an empty value of another type is refused with the field and its type', () => {
  test.each(fields)('$label', async (row) => {
    for (const json of empties.filter((empty) => !emptiesOf[row.type]?.includes(empty))) {
      // Where numbers are accepted, zero is a number.
      if (json === '0' && (row.type === 'Int' || row.type === 'UInt32')) continue;
      // A module may be an object, which lacks what the module needs.
      if (json === '{}' && row.type === 'module') continue;
      const { status, body } = await send(row, JSON.parse(json));
      expect([json, status, body.error_code, body.details?.field]).toEqual([json, 400, 'INVALID_INPUT', row.field]);
      expect(body.msg).toMatch(new RegExp(`^${row.field}: must be (a|an|one|true) `));
    }
  });
});

describe('the empty value of its own type counts as not given', () => {
  // A route that takes a proof needs a proof, or a field of its own.
  const optional = fields.filter(
    ({ route, required, type }) => !required && route.withoutKey === undefined && (emptiesOf[type] ?? []).length > 0,
  );
  // What the kind of the sample needs.
  const needed = ['address', 'https_edge_id', 'url'].flatMap((name) => [
    `POST /expectations ${name}`,
    `PATCH /expectations/{id} ${name}`,
  ]);
  needed.push('PUT /edges/https/{edge_id}/routes/{id}/saml idp_metadata', 'PUT /webhooks/{id}/deliveries message_ids');
  for (const name of ['issuer', 'client_id']) {
    needed.push(`PUT /edges/https/{edge_id}/routes/{id}/oidc ${name}`, `POST /sign_in_providers ${name}`);
  }
  // Of a step, which says how it is made.
  const notShown = ['PUT /webhooks/{id}/secret overlap_seconds'];
  const isValue = ({ route, type }: (typeof fields)[number]) =>
    (route.method === 'PUT' && ['list', 'JSON', 'UInt32', 'Int'].includes(type)) ||
    (route.method === 'PATCH' && type === 'String');

  test.each(optional.filter((row) => !isValue(row)))('$label', async (row) => {
    for (const json of emptiesOf[row.type] ?? []) {
      const without = await send(row, undefined);
      const empty = await send(row, JSON.parse(json));
      expect([json, empty.status]).toEqual([json, without.status]);
      if (needed.includes(row.label)) continue;
      expect([200, 201]).toContain(empty.status);
      expect([json, empty.body[row.field]]).toEqual([json, without.body[row.field]]);
    }
  });

  test.each(optional.filter(isValue))('or is a value: $label', async (row) => {
    for (const json of emptiesOf[row.type] ?? []) {
      const { status, body } = await send(row, JSON.parse(json));
      if (row.mayBeEmpty && !needed.includes(row.label))
        expect([status, body[row.field]]).toEqual([200, notShown.includes(row.label) ? undefined : JSON.parse(json)]);
      else expect([status, body.error_code, body.details.field]).toEqual([400, 'INVALID_INPUT', row.field]);
    }
  });
});

test('a boolean has no empty value: false is one, and null is not given on a creation', async () => {
  const create = (enforced: unknown) =>
    service.rest('POST', '/ip_restrictions', { type: 'agent', ip_policy_ids: [ids('/ip_policies')], enforced });
  expect((await create(false)).body.enforced).toBe(false);
  expect((await create(null)).body.enforced).toBe(false);
  expect((await create('')).body.msg).toBe('enforced: must be true or false or null.');
});
