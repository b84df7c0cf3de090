// Validating a hostile document costs little: names are compared only where they are few and short, and equal fields only where they
// are few.

import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { findErrors } from '../../src/graphql/execution/validation.ts';
import { fieldComparisonsMax } from '../../src/load/limits.ts';

const errorsOf = (text: string) => findErrors(parse(text), text.length).map(({ message }) => message);
const times = (count: number, text: (place: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

test('suggests similar names for the few mistakes of a short document', () => {
  expect(
    errorsOf(`query ($a: Strng, $b: [Bolean]) {
      ipPolicie(first: 1) { uri }
      ipPolicies(frst: 1) { uri }
      evaluateIp(address: "192.0.2.1", tpe: api) { allowed } }`),
  ).toEqual([
    'Unknown type "Strng". Did you mean "String"?',
    'Unknown type "Bolean". Did you mean "Boolean" or "Role"?',
    'Cannot query field "ipPolicie" on type "Query". Did you mean "ipPolicies", "ipPolicy", or "ipPolicyRule"?',
    'Unknown argument "frst" on field "Query.ipPolicies". Did you mean "first" or "last"?',
    'Unknown argument "tpe" on field "Query.evaluateIp". Did you mean "type"?',
    'Field "evaluateIp" argument "type" of type "IpRestrictionType!" is required, but it was not provided.',
    'Variable "$a" is never used.',
    'Variable "$b" is never used.',
  ]);
});

test('suggests nothing for many mistakes, or in a long document', () => {
  expect(errorsOf(`{ ${times(11, (place) => `ipPolicie${place} { uri }`)} }`)).toEqual(
    Array.from({ length: 11 }, (_, index) => `Cannot query field "ipPolicie${index}" on type "Query".`),
  );
  expect(errorsOf(`{ ipPolicie { uri } } # ${'x'.repeat(8_192)}`)).toEqual([
    'Cannot query field "ipPolicie" on type "Query".',
  ]);
});

const tooOften = [
  'The document selects the same fields too often: they would be compared with each other more than 8000 times. Select each field ' +
    'of an object once.',
];
const kinds: Record<string, (count: number) => string> = {
  'of an object': (count) => `{ viewer { ${times(count, () => '__typename')} } }`,
  'of objects that are merged': (count) =>
    `{ ${times(count / 10, () => `viewer { ${times(10, () => '__typename')} }`)} }`,
  'in fragments': (count) =>
    `{ viewer { ${times(count / 5, (place) => `...F${place}`)} } }
    ${times(count / 5, (place) => `fragment F${place} on Viewer { ${times(5, () => '__typename')} }`)}`,
  'that conflict': (count) => `{ viewer { ${times(count / 2, () => 'a: account { id } a: __typename')} } }`,
  'with long literals': (count) => `{ ${times(count / 5, () => `ipPolicy(id: "${'x'.repeat(50_000)}") { uri }`)} }`,
};

test.each(Object.entries(kinds))('compares equal fields %s only up to a limit', (_, documentOf) => {
  expect(errorsOf(documentOf(140))).toEqual(tooOften);
  expect(errorsOf(documentOf(20))).not.toEqual(tooOften);
});

test('a document may select 125 equal fields of an object, and any number of the same ones of different objects', () => {
  expect(errorsOf(`{ viewer { ${times(125, () => '__typename')} } }`)).toEqual([]);
  expect(fieldComparisonsMax).toBe(8_000);
  expect(errorsOf(`{ ${times(100, (place) => `a${place}: ipPolicy(id: "a") { id uri description }`)} }`)).toEqual([]);
});

test('fragments that contain each other many times over are not followed to their ends', () => {
  const fragments = times(
    60,
    (place) =>
      `fragment F${place} on IpPolicyRule { ${['a', 'b'].map((name) => `${name}: ipPolicy { rules(first: 1) { edges { node { ...F${place + 1} } } } }`).join(' ')} }`,
  );
  expect(errorsOf(`{ ipPolicyRule(id: "a") { ...F0 } } ${fragments} fragment F60 on IpPolicyRule { id }`)).toEqual(
    tooOften,
  );
});
