// Every field declares which scopes it needs: the guarantees of API keys with limited rights depend on that.

import { buildSchema, getNamedType, isInterfaceType, isObjectType, isScalarType } from 'graphql';
import { expect, test } from 'vitest';
import type { KeyScope } from '../../src/domain/access/key-scopes.ts';
import { areaOf, isKind } from '../../src/domain/values/ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import { enforceScopes, forEveryKey, needs, needsTo } from '../../src/graphql/wrappers/rights.ts';

/** Creates a schema in which the named fields declare the given needs. */
function schemaOf(definitions: string, declarations: Record<string, { needs: readonly KeyScope[] }>) {
  const made = buildSchema(definitions);
  for (const type of Object.values(made.getTypeMap())) {
    // Introspection types are the same objects in every schema.
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = () => null;
      field.extensions = declarations[`${type.name}.${field.name}`] ?? {};
    }
  }
  return made;
}

test('a field of the query or the mutation that declares nothing does not start', () => {
  const definitions = 'type Query { time: String } type Mutation { stop: Boolean }';
  const declared = { 'Query.time': forEveryKey, 'Mutation.stop': needs('write') };
  expect(() => enforceScopes(schemaOf(definitions, declared))).not.toThrow();
  expect(() => enforceScopes(schemaOf(definitions, { 'Mutation.stop': needs('write') }))).toThrow(
    'Query.time does not declare the scopes that it needs: see graphql/wrappers/rights.ts.',
  );
  expect(() => enforceScopes(schemaOf(definitions, { 'Query.time': forEveryKey }))).toThrow(
    'Mutation.stop does not declare the scopes that it needs: see graphql/wrappers/rights.ts.',
  );
});

test('a field that may give an object of any area does not start', () => {
  const definitions = `
    type Query { top: Top }
    type Top { any: Thing, node: Stray }
    interface Thing { id: ID }
    interface Node { id: ID }
    type Stray implements Node & Thing { id: ID }`;
  const declared = { 'Query.top': forEveryKey };
  expect(() => enforceScopes(schemaOf(definitions, declared))).toThrow('Top.any does not declare');
  expect(() => enforceScopes(schemaOf(definitions, { ...declared, 'Top.any': forEveryKey }))).toThrow(
    'Top.node does not declare',
  );
});

test('what is of no area cannot be declared by its kind', () => {
  expect(() => needsTo('read', 'Account')).toThrow('Account has no area');
  expect(() => needsTo('write', 'Nothing')).toThrow('Nothing has no area');
});

test('every object with an identifier that can be looked up has an area', () => {
  const node = schema.getType('Node');
  const objects = isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
  expect(objects.length).toBeGreaterThan(9);
  expect(objects.filter((name) => !isKind(name) || areaOf(name) === null)).toEqual([]);
});

test('what is of no kind is a part of one area, whose objects alone lead to it', () => {
  // For each type, the areas of the types and fields that lead to it.
  const leading = new Map<string, Set<string>>();
  const ownArea = (name: string, scopes: readonly string[] | undefined) => {
    const [scope] = scopes ?? [];
    return scope?.split(':')[0] ?? (isKind(name) ? areaOf(name) : null);
  };
  const follow = (name: string, area: string | null) => {
    const type = schema.getType(name);
    if (!isObjectType(type)) return;
    const own = ownArea(name, type.extensions.needs) ?? area;
    const areas = leading.get(name) ?? new Set();
    leading.set(name, areas);
    if (areas.has(String(own))) return;
    areas.add(String(own));
    for (const field of Object.values(type.getFields())) {
      const { needs: declared } = field.extensions;
      const given = getNamedType(field.type);
      if (isScalarType(given)) continue;
      follow(given.name, Array.isArray(declared) ? ownArea('', declared) : own);
    }
  };
  follow('Query', null);
  follow('Mutation', null);
  const shared = [...leading].filter(([, areas]) => areas.size > 1).map(([name]) => name);
  // Addresses, who changed an object, where a page is in its list, the identifier of an object that may be gone, and what is read from
  // the metadata of identity providers.
  expect(shared.sort()).toEqual([
    'AddressRange',
    'AuditActor',
    'IdpMetadataWarning',
    'PageInfo',
    'Ref',
    'SamlCertificate',
    'SamlEndpoint',
    'SamlIdentityProvider',
    'SamlMetadataReading',
  ]);
  expect(leading.get('SamlModule')).toEqual(new Set(['https-edges']));
  expect(leading.get('IpPolicyConnection')).toEqual(new Set(['ip-policies']));
});
