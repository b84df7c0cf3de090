// What every input of the schema must declare, so that no list costs much before it is refused.

import {
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

test('every list that a client can send declares how many entries it may have', () => {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const places = types.flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields()).map((place) => ({ owner: type.name, place }));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.map((place) => ({ owner: `${type.name}.${field.name}`, place })),
    );
  });
  const lists = places.filter(({ place }) => isListType(getNullableType(place.type)));
  const maxOf = ({ extensions }: (typeof places)[number]['place']) => Object(extensions.jsonSchema).maxItems;
  expect(lists.length).toBeGreaterThan(5);
  expect(
    lists.filter(({ place }) => !Number.isInteger(maxOf(place))).map(({ owner, place }) => `${owner}.${place.name}`),
  ).toEqual([]);
});
