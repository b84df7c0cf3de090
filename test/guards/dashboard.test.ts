// The dashboard is a client like any other: it knows the schema, and nothing of the server's sources.

import { dirname, join, normalize } from 'node:path';
import { type GraphQLField, isInterfaceType, isObjectType } from 'graphql';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Route, Router, Switch } from 'wouter';
import { areas as ofServer } from '../../src/areas/areas.ts';
import { restorers } from '../../src/areas/audit-events/restore-store.ts';
import { refuseRetirement } from '../../src/areas/ssh/authorities/succession-rules.ts';
import { lockout, SallyportError } from '../../src/domain/errors.ts';
import { remedies } from '../../src/domain/remedies.ts';
import { schema } from '../../src/graphql/schema.ts';
import { declaredScopes } from '../../src/graphql/wrappers/rights.ts';
import { filesBelow, read } from '../support/source-files.ts';

// Imported by paths that the compiler does not follow: it would check the whole dashboard again, as code for Node.
const dashboard = join(import.meta.dirname, '../../dashboard/src');
const { kinds }: { readonly kinds: Readonly<Record<string, { readonly isFinal?: true }>> } = await import(
  join(dashboard, 'client/kinds.ts')
);
const { areas }: { readonly areas: readonly { readonly name: string }[] } = await import(
  join(dashboard, 'areas/areas.ts')
);
const navigation: { readonly countedLists: readonly { readonly field: string; readonly scope: string }[] } =
  await import(join(dashboard, 'shell/navigation.ts'));

const { problemOf }: { readonly problemOf: (error: object) => { readonly message: string } } = await import(
  join(dashboard, 'client/problem.ts')
);

/** Returns the error that something throws. */
function catching(fails: () => void): SallyportError {
  try {
    fails();
  } catch (error) {
    if (error instanceof SallyportError) return error;
  }
  throw new Error('It did not fail.');
}

const isList = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'first');

test('it imports nothing from outside its own sources but packages', () => {
  const files = [...filesBelow('dashboard/src', '.ts'), ...filesBelow('dashboard/src', '.tsx')];
  expect(files.length).toBeGreaterThan(50);
  const outside = files.flatMap((file) => {
    const depth = file.split('/').length - 'dashboard/src'.split('/').length - 1;
    const imports = [...read(file).matchAll(/from '((?:\.\.\/)+)/g)].map(([, up = '']) => up.length / 3);
    return imports.some((levels) => levels > depth) ? [file] : [];
  });
  expect(outside).toEqual([]);
});

test('an area is imported by its own files, and by the list alone', () => {
  const files = [...filesBelow('dashboard/src', '.ts'), ...filesBelow('dashboard/src', '.tsx')];
  const areaOf = (path: string) => /^dashboard\/src\/areas\/([\w-]+)\//.exec(path)?.[1];
  const strangers = files.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import\() ?'(\.[^']*)'/g)]
      .map(([, name = '']) => normalize(join(dirname(file), name)))
      .filter((to) => areaOf(to) !== undefined && areaOf(to) !== areaOf(file))
      .map(() => file),
  );
  expect([...new Set(strangers)]).toEqual(['dashboard/src/areas/areas.ts']);
});

test('it says nothing of a message that is for programs alone, and all of what operators do', () => {
  const shown = ({ message, code }: SallyportError) =>
    problemOf({ graphQLErrors: [{ message, extensions: { code } }] }).message;
  expect(shown(lockout('The IP restriction "office" refuses 192.0.2.1.'))).toBe(
    'The IP restriction "office" refuses 192.0.2.1. Nothing was changed.',
  );
  const authority = { id: 'sshca_1', successorId: 'sshca_2', handedOverAt: new Date(0), retiredAt: null };
  const until = new Date('2027-01-01T00:00:00Z');
  const early = catching(() => refuseRetirement(authority, '"new"', { count: 2, until }));
  expect(shown(early)).toBe(
    'Not everything that the certificate authority has signed has ended: 2 host certificates, until 2027-01-01T00:00:00Z. ' +
      'Retire it then.',
  );
  const command = `Who runs the server can suspend them: ${remedies.suspendRestrictions('acct_1')}.`;
  expect(shown(new SallyportError('IP_RESTRICTED', command))).toBe(command);
});

test('it shows a message whole whose names look like something for programs', () => {
  for (const name of ['a=true', 'b: true', '`c=true`', '`--d', 'Sallyport-Force']) {
    const message = `There is no IP policy ${JSON.stringify(name)} in this account.`;
    expect(problemOf({ graphQLErrors: [{ message, extensions: { code: 'NOT_FOUND' } }] }).message).toBe(message);
  }
});

test('it has a name for every kind of object', () => {
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node).filter(isObjectType) : [];
  const named = types.map(({ name }) => name).filter((name) => !name.startsWith('Audit'));
  expect(Object.keys(kinds).sort()).toEqual(named.sort());
});

test('it has every area, and counts lists that there are, with the rights that they need', () => {
  expect(areas.map(({ name }) => name).sort()).toEqual(ofServer.map(({ name }) => name).sort());
  const fields = schema.getQueryType()?.getFields() ?? {};
  const counted = navigation.countedLists.map(({ field, scope }) => [field, [scope]]);
  const known = counted.map(([name]) => Object.values(fields).find((field) => field.name === name && isList(field)));
  expect(known.map((field) => field && [field.name, declaredScopes(field).needs])).toEqual(counted);
});

test('it knows what does not come back once it is deleted', () => {
  const final = Object.keys(kinds).filter((kind) => kinds[kind]?.isFinal);
  const noWayBack = Object.keys(kinds).filter((kind) => {
    const [, restorer] = Object.entries(restorers).find(([name]) => name === kind) ?? [];
    return typeof restorer?.recreate !== 'function';
  });
  expect(final.sort()).toEqual(noWayBack.sort());
});

test('it shows the call of every change that it makes', () => {
  const files = [...filesBelow('dashboard/src', '.ts'), ...filesBelow('dashboard/src', '.tsx')];
  const sources = files.filter((file) => !file.includes('.generated.')).map(read);
  const mutations = filesBelow('dashboard/src', '.graphql').flatMap((file) =>
    [...read(file).matchAll(/^mutation (\w+)/gm)].map(([, name]) => `${name}Document`),
  );
  expect(mutations.length).toBeGreaterThan(30);
  // A component that takes the document of a change makes the change, so it must show the call.
  const takers = sources.filter((source) => source.includes('useAction(document,'));
  expect(takers.length).toBeGreaterThan(3);
  expect(takers.filter((source) => !source.includes('<Call'))).toEqual([]);
  const shown = sources.join('\n');
  const hidden = mutations.filter((name) => !new RegExp(`\\bdocument(=\\{|: )${name}\\b`).test(shown));
  expect(hidden).toEqual([]);
});

test('the page that is loaded ahead is the one that the router shows', async () => {
  const ahead: {
    readonly pages: readonly { readonly path: string }[];
    pageAt(path: string): { readonly path: string } | undefined;
  } = await import(join(dashboard, 'pages.ts'));
  const routes = ahead.pages.map(({ path }) => createElement(Route, { key: path, path }, path));
  const shownAt = (path: string) =>
    renderToStaticMarkup(createElement(Router, { ssrPath: path, children: createElement(Switch, null, ...routes) }));
  const addresses = ahead.pages.flatMap(({ path }) => {
    const address = path.replace(':id', 'x.y-1_%20');
    return [address, `${address}/`, `${address}//`, `${address}/more`, address.toUpperCase(), `/more${address}`];
  });
  expect(addresses.filter((address) => shownAt(address) !== '').length).toBeGreaterThan(ahead.pages.length);
  expect(addresses.map((address) => [address, ahead.pageAt(address)?.path ?? ''])).toEqual(
    addresses.map((address) => [address, shownAt(address)]),
  );
});

test('no style has its selector twice, of which one was meant for something else', () => {
  const files = filesBelow('dashboard/src', '.css');
  expect(files.length).toBeGreaterThan(10);
  const twice = files.flatMap((file) => {
    const found = new Set<string>();
    const within: string[] = [];
    const text = read(file).replace(/\/\*.*?\*\//gs, '');
    return [...text.matchAll(/([^{};]*)([{};])/g)].flatMap(([, selector = '', mark]) => {
      if (mark === '}') within.pop();
      if (mark !== '{') return [];
      within.push(selector.trim());
      const style = within.join(' ');
      const isTwice = found.has(style) && !selector.includes('@');
      found.add(style);
      return isTwice ? [`${file}: ${style}`] : [];
    });
  });
  expect(twice).toEqual([]);
});

test('the page about the kit names every size and colour that there is', () => {
  const page = read('dashboard/src/kit/README.md');
  const tokens = new Set(
    [...read('dashboard/src/kit/base.css').matchAll(/^\s+(--[\w-]+):/gm)].map(([, name = '']) => name),
  );
  const named = [...page.matchAll(/`(--[\w-]+)`/g)].map(([, name = '']) => name);
  expect(tokens.size).toBeGreaterThan(20);
  expect([...tokens].filter((token) => !named.includes(token) && !token.endsWith('-back'))).toEqual([]);
  expect(named.filter((token) => !tokens.has(token))).toEqual([]);
});

test('styles take sizes of text and radii from the scale', () => {
  const files = filesBelow('dashboard/src', '.css').filter((file) => !file.endsWith('/kit/base.css'));
  const own = files.flatMap((file) =>
    [...read(file).matchAll(/font(?:-size)?: [^;]*\d(?:rem|px)[^;]*;|border-radius: (?:[4-9]|\d\d)px;/g)].map(
      ([style]) => `${file}: ${style}`,
    ),
  );
  expect(own.filter((style) => !/99px|1\.25rem var/.test(style))).toEqual([]);
});
