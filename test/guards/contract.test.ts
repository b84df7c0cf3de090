// Promises made in one place and kept in another: the documented routes, the schema, the generated files, the error codes.

import { generate } from '@graphql-codegen/cli';
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import codegenConfig from '../../codegen.ts';
import { generatedPages } from '../../docs/generate.ts';
import { variableNames } from '../../src/config.ts';
import { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { schema } from '../../src/graphql/schema.ts';
import { routes, servedRoutes } from '../../src/surfaces/rest/routes.ts';
import { areaSamples } from '../support/area-samples.ts';
import { filesBelow, read, root } from '../support/source-files.ts';

test('every documented route has exactly one row, and there is no row without documentation', () => {
  const documented = areaSamples.flatMap((area) => area.routes);
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(documented.sort());
});

test('the document of every route fits the schema, which no start asks again', () => {
  const problems = servedRoutes.flatMap(({ method, path, document }) =>
    validate(schema, document).map(({ message }) => `${method} ${path}: ${message}`),
  );
  expect(problems).toEqual([]);
});

test('a collection that can be added to can be listed', () => {
  // Routes that take a proof add to collections that other routes list.
  const collections = routes.filter(({ withoutKey }) => withoutKey === undefined);
  const pathsOf = (method: string) => collections.filter((route) => route.method === method).map(({ path }) => path);
  expect(pathsOf('POST').length).toBeGreaterThan(5);
  expect(pathsOf('POST').filter((path) => !pathsOf('GET').includes(path))).toEqual([]);
});

test('what is asked for or changed can fail alone: every field of the query and the mutation may be null', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  expect(fields.length).toBeGreaterThan(40);
  expect(fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
});

test('schema.graphql and the typed documents are what codegen makes of their sources', async () => {
  // As text: codegen would load the module again, outside of the test runner, which fails.
  const config = { ...codegenConfig, schema: printSchema(schema), cwd: root, silent: true };
  const outputs: { filename: string; content: string }[] = await generate(config, false);
  const stale = outputs.filter(
    ({ filename, content }) => read(filename.replace(`${root}/`, '')).trim() !== content.trim(),
  );
  expect(stale.map(({ filename }) => filename)).toEqual([]);
  expect(outputs.length).toBe(2 + filesBelow('src/areas', 'operations.graphql').length);
});

test('everything in the schema has a description', () => {
  const bare: string[] = [];
  const check = (place: string, { description }: { description?: string | null | undefined }) => {
    if (!description) bare.push(place);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    check(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
    if (isInputObjectType(type) || isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        check(`${type.name}.${field.name}`, field);
        for (const arg of 'args' in field ? field.args : []) check(`${type.name}.${field.name}(${arg.name})`, arg);
      }
    }
  }
  expect(bare).toEqual([]);
});

test('every list of objects is counted at the size that it can have', () => {
  const uncounted = Object.values(schema.getTypeMap())
    .filter((type) => (isObjectType(type) || isInterfaceType(type)) && !isIntrospectionType(type))
    .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : []))
    .filter(({ field }) => isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)))
    // The plugin counts a list without its own cost as ten, however long it is.
    .filter(({ field }) => !('complexity' in Object(field.extensions.pothosOptions)))
    .map(({ type, field }) => `${type.name}.${field.name}`);
  expect(uncounted).toEqual([]);
});

test('every mutation takes one input and gives a payload of its own name', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const typeNames = mutations.map(({ name, args, type }) => [
    name,
    ...args.map((arg) => `${arg.name}: ${arg.type}`),
    String(getNamedType(type)),
  ]);
  const expected = mutations.map(({ name }) => {
    const pascal = name.charAt(0).toUpperCase() + name.slice(1);
    return [name, `input: ${pascal}Input!`, `${pascal}Payload`];
  });
  expect(typeNames).toEqual(expected);
});

describe('documentation', () => {
  test('pages made from the code are up to date', () => {
    for (const [path, page] of Object.entries(generatedPages)) expect(read(`docs/${path}`), path).toBe(page());
  });

  test('of the errors speaks of every code, and the code uses every one of them', () => {
    const source = filesBelow('src', '.ts')
      .filter((path) => !/domain\/errors\.ts|graphql\/errors\.ts/.test(path))
      .map(read)
      .join('\n');
    const codes = Object.keys(errorCatalogue);
    // Created by functions of their own.
    const made = ['INVALID_INPUT', 'NOT_FOUND', 'UNKNOWN_REFERENCE'];
    expect(codes.filter((code) => !source.includes(`'${code}'`) && !made.includes(code))).toEqual([]);
    expect(codes.filter((code) => !read('docs/errors.md').includes(`| \`${code}\` |`))).toEqual([]);
  });

  test('of the configuration speaks of every variable, and of no other', () => {
    const documented = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...variableNames].sort());
  });

  test('of the dependencies has a line for each one, and for each override', () => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = JSON.parse(read('package.json'));
    const dashboard = JSON.parse(read('dashboard/package.json'));
    const documented = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    const named = {
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
      ...dashboard.devDependencies,
      ...overrides,
    };
    expect(documented.sort()).toEqual(Object.keys(named).sort());
  });
});
