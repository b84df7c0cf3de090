// Only src/outgoing sends requests to servers of others: everything that follows a user's address passes its guard.

import ts from 'typescript';
import { expect, test } from 'vitest';
import { filesBelow, read } from '../support/source-files.ts';

/** What can open connections or look up names. */
const connecting = /^(node:)?(https?|http2|net|tls|dns|dgram)(\/promises)?$|^(undici|axios|got|node-fetch|ws)$/;
/** What else these modules are imported for: types, tests of addresses, and servers. */
const harmless =
  /^(isIP|isIPv4|isIPv6|SocketAddress|STATUS_CODES|METHODS|createServer|Server|IncomingMessage|ServerResponse)$/;
/** Who connects to what the operator has configured, and scripts of pages, which run in browsers. */
const others = [
  /^src\/(wire|cli|areas\/ssh\/agents)\//,
  /^src\/areas\/configuration\/asking-commands\.ts$/,
  /^src\/surfaces\/(graphql\/graphiql-page|pages\/start-script)\.ts$/,
];

test('all other code opens no connections, and looks up no names', () => {
  const found = filesBelow('src', '.ts')
    .filter((path) => !path.startsWith('src/outgoing/') && !others.some((form) => form.test(path)))
    .flatMap((path) => {
      const text = read(path);
      const names = ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
        if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) return [];
        const { moduleSpecifier, importClause } = statement;
        if (!ts.isStringLiteral(moduleSpecifier) || !connecting.test(moduleSpecifier.text)) return [];
        const bindings = importClause?.namedBindings;
        if (bindings === undefined || !ts.isNamedImports(bindings)) return ['everything'];
        return bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
      });
      const fetches = /(?<![\w.'`])fetch\(/.test(text.replace(/^\s*(\/\/|\/?\*).*$|async fetch\(/gm, ''))
        ? ['fetch']
        : [];
      return [...names, ...fetches].filter((name) => !harmless.test(name)).map((name) => `${path}: ${name}`);
    });
  expect(found).toEqual([]);
});
