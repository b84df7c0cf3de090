// Every field counts what it returns: the limit on answers depends on that.

import { type GraphQLField, introspectionTypes, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { isCounted, needsCounting } from '../../src/graphql/wrappers/counting.ts';

const fields = [...Object.values(schema.getTypeMap()), ...introspectionTypes].flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).map((field): [string, GraphQLField<unknown, unknown>] => [
        `${type.name}.${field.name}`,
        field,
      ])
    : [],
);
const named = (test: (field: GraphQLField<unknown, unknown>) => boolean) =>
  fields.filter(([, field]) => test(field)).map(([name]) => name);

test('every field that gives a list, text or JSON counts what it gives', () => {
  expect(named((field) => needsCounting(field) && !isCounted(field))).toEqual([]);
  expect(named(needsCounting)).toEqual(
    expect.arrayContaining([
      '__Schema.types',
      '__Type.fields',
      'IpRestriction.ipPolicyRefs',
      'SamlIdentityProvider.singleSignOnServices',
      'EndpointRule.actions',
      'EndpointRule.expressions',
      'EndpointAction.config',
      'IpPolicy.metadata',
      'IpPolicyConnection.nodes',
    ]),
  );
});

test('every list has a price of its own: none costs what lists usually do', () => {
  // The plugin's default, which nobody chose deliberately.
  const isDefault = ({ extensions }: GraphQLField<unknown, unknown>) =>
    JSON.stringify(extensions.complexity) === JSON.stringify({ field: 1, multiplier: 10 });
  const listOfObjects = (field: GraphQLField<unknown, unknown>) => /^\[[A-Z]\w+!?\]!?$/.test(String(field.type));
  const scalars = /\[(String|ID|Int|JSON)!?\]/;
  expect(named((field) => listOfObjects(field) && !scalars.test(String(field.type)) && isDefault(field))).toEqual([]);
});
