// The floors of the house (docs/architecture.md): imports go down, and areas stay apart.

import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { Area } from '../../src/areas/area.ts';
import { namedAreas } from '../../src/areas/areas.ts';
import { filesBelow, read } from '../support/source-files.ts';

interface Import {
  from: string;
  to: string;
}

/** Returns a file's imports of other files of ours, including type imports, which couple floors just as much. */
function readImports(path: string): Import[] {
  return ts
    .preProcessFile(read(path), true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ from: path, to: normalize(join(dirname(path), name)) }));
}

/** Returns the imports and exports of a file that name another file of ours. */
function readStatements(path: string) {
  const { statements } = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: name } = statement;
    if (name === undefined || !ts.isStringLiteral(name) || !name.text.startsWith('.')) return [];
    const typesOnly = ts.isImportDeclaration(statement) && statement.importClause?.isTypeOnly === true;
    return [{ statement, typesOnly, import: { from: path, to: normalize(join(dirname(path), name.text)) } }];
  });
}

/** Returns a file's imports of other files of ours that import more than types. */
function readValueImports(path: string): Import[] {
  return readStatements(path).flatMap((found) => (found.typesOnly ? [] : [found.import]));
}

/** Returns the files of ours from which a file re-exports something, by one statement or by two. */
function readReExports(path: string): Import[] {
  const { statements } = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest);
  const exported = statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : [],
  );
  return readStatements(path).flatMap(({ statement, import: found }) => {
    if (ts.isExportDeclaration(statement)) return [found];
    const bindings = statement.importClause?.namedBindings;
    const names = bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
    return names.some((name) => exported.includes(name)) ? [found] : [];
  });
}

/** The first that matches. The name of a file of an area tells its floor: `saml-schema.ts`, `schema.ts`. Any other is pure. */
const floors: [floor: number, paths: RegExp][] = [
  [1, /^src\/(storage|outgoing)\/|^src\/areas\/.*\/([\w-]+-)?(store|upkeep)\.ts$/],
  [
    2,
    /^src\/graphql\/|^src\/load\/(?!rate-limits|requests-underway)|^src\/areas\/.*\/(([\w-]+-)?schema|operations\.generated)\.ts$/,
  ],
  [
    3,
    /^src\/areas\/area\.ts$|^src\/(wire|pipeline|surfaces|load|telemetry|cli)\/|^src\/areas\/.*\/(routes|([\w-]+-)?(public|commands))\.ts$|^src\/(main|cli|server|config|setting-forms)\.ts$/,
  ],
  [0, /^src\/(domain|areas)\//],
];

function floorOf(path: string): number {
  return floors.find(([, paths]) => paths.test(path))?.[0] ?? Number.NaN;
}

const files = filesBelow('src', '.ts');
// An area declares what it brings from all floors, and loads none of it by that (checked below).
const isDeclaration = (path: string) => /^src\/areas\/[\w-]+\/area\.ts$/.test(path);
const imports = files.filter((path) => !isDeclaration(path)).flatMap(readImports);

describe('imports', () => {
  test('are read at all', () => {
    expect(imports).toContainEqual({ from: 'src/areas/ip-policies/store.ts', to: 'src/domain/errors.ts' });
  });

  test('start and end in files that have a floor', () => {
    expect([...files, ...imports.map(({ to }) => to)].filter((path) => Number.isNaN(floorOf(path)))).toEqual([]);
  });

  test('go down or stay on their floor', () => {
    const declared = 'src/areas/area.ts';
    const typesOfParts = ({ from, to }: Import) => to === declared && from === 'src/areas/parts.ts';
    expect(imports.filter((found) => floorOf(found.from) < floorOf(found.to) && !typesOfParts(found))).toEqual([]);
    expect(readValueImports(declared)).toEqual([]);
  });

  test('never lead back to the file that they began in, not even those of types', () => {
    const circles: string[][] = [];
    const seen = new Set<string>();
    const follow = (path: string, way: readonly string[]) => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path]);
      if (seen.has(path) || !files.includes(path)) return;
      seen.add(path);
      for (const { import: found } of readStatements(path)) follow(found.to, [...way, path]);
    };
    for (const path of files) follow(path, []);
    expect(circles).toEqual([]);
  });

  test('of a declaration are all of its own area, and load nothing', () => {
    const declarations = files.filter(isDeclaration);
    expect(declarations.flatMap(readStatements)).toEqual([]);
    expect(declarations.flatMap(readImports).filter(({ from, to }) => !to.startsWith(`${dirname(from)}/`))).toEqual([]);
  });

  test('never lead from one area to another', () => {
    const areaOf = (path: string) => /^src\/areas\/([\w-]+)\//.exec(path)?.[1];
    const across = imports.filter(({ from, to }) => areaOf(from) && areaOf(to) && areaOf(from) !== areaOf(to));
    expect(across).toEqual([]);
  });

  test('lead into an area only from its own files, but for two files that need more than every area has', () => {
    const outside = imports.filter(({ from, to }) => /^src\/areas\/.*\//.test(to) && !/^src\/areas\//.test(from));
    // The checks of each request, and exports of what several areas have.
    expect([...new Set(outside.map(({ from }) => from))].sort()).toEqual(['src/cli/export.ts', 'src/server.ts']);
  });

  test('never lead from the REST surface to the storage: both surfaces share the resolvers', () => {
    expect(
      imports.filter(({ from, to }) => /\/routes\.ts$|^src\/surfaces\/rest\//.test(from) && floorOf(to) === 1),
    ).toEqual([]);
  });

  test('never lead from one surface to another', () => {
    const surfaceOf = (path: string) => /^src\/surfaces\/([\w-]+)\//.exec(path)?.[1];
    const beside = imports.filter(({ from, to }) => {
      const other = surfaceOf(to);
      return other !== undefined && other !== 'kit' && surfaceOf(from) !== undefined && surfaceOf(from) !== other;
    });
    expect(beside).toEqual([]);
  });

  test('never lead from the wire to the pipeline, nor from either to a surface', () => {
    const above = { 'src/wire/': /^src\/(pipeline|surfaces)\//, 'src/pipeline/': /^src\/surfaces\// };
    const upwards = Object.entries(above).flatMap(([folder, others]) =>
      imports.filter(({ from, to }) => from.startsWith(folder) && others.test(to)),
    );
    expect(upwards).toEqual([]);
  });

  test('of the storage are imports of types on floor 3, except in the processes: they open it and hand it on', () => {
    const processes = /^src\/(main|cli|server|config|setting-forms)\.ts$|^src\/cli\/|[/-]commands\.ts$/;
    const above = files.filter((path) => floorOf(path) === 3 && !processes.test(path));
    expect(above).toContain('src/pipeline/request.ts');
    // An area reads the data that it serves without a key in a separate store file.
    const isOwn = ({ from, to }: Import) => /[/-]public\.ts$/.test(from) && to === from.replace(/\.ts$/, '-store.ts');
    const values = above.flatMap(readValueImports).filter((found) => floorOf(found.to) === 1 && !isOwn(found));
    expect(values).toEqual([]);
  });

  test('are not passed on: a file does not export what it has from a lower floor', () => {
    expect(files.flatMap(readReExports).filter(({ from, to }) => floorOf(from) > floorOf(to))).toEqual([]);
  });

  test('reach the generated database client only from the storage', () => {
    const strangers = imports.filter(
      ({ from, to }) => to.includes('generated/client') && !from.startsWith('src/storage/'),
    );
    expect(strangers).toEqual([]);
  });

  test('reach the writing half of the database only from the storage: areas write through collections', () => {
    const strangers = imports.filter(
      ({ from, to }) => to === 'src/storage/objects/changes.ts' && !from.startsWith('src/storage/'),
    );
    expect(strangers).toEqual([]);
  });

  test('reach the data of all accounts only from what acts for none of them', () => {
    const entitled =
      /^src\/(storage|cli)\/|\/(upkeep|public|(public|subject|gate|edge-read|login|logout|session|standing)-store)\.ts$|^src\/areas\/audit-events\/(chain|shipping)\/|^src\/(surfaces\/public-files|telemetry\/metrics)\.ts$/;
    const strangers = imports.filter(
      ({ from, to }) => to === 'src/storage/objects/server-scope.ts' && !entitled.test(from),
    );
    expect(strangers).toEqual([]);
  });

  test('of floor 0 bring no framework, no clock and no randomness', () => {
    const formats = [
      '@marcbachmann/cel-js',
      're2js',
      'xml-crypto',
      'xml-crypto/lib/utils.js',
      '@xmldom/xmldom',
      '@peculiar/asn1-schema',
      '@peculiar/asn1-x509',
      'sshpk',
      'bcrypt-pbkdf',
      'ipaddr.js',
      'tr46',
      'uuid',
    ];
    const allowed = [...formats, 'node:net', 'node:url', 'node:zlib', 'node:util'];
    const strange = files
      .filter((path) => floorOf(path) === 0)
      .flatMap((path) =>
        ts.preProcessFile(read(path), true).importedFiles.map(({ fileName }) => `${path} imports ${fileName}`),
      )
      .filter((line) => !/ imports (\.|node:crypto$)/.test(line))
      .filter((line) => !allowed.some((name) => line.endsWith(` imports ${name}`)));
    expect(strange).toEqual([]);
    const impure = files
      .filter((path) => floorOf(path) === 0)
      .filter((path) =>
        /new Date\(\)|Date\.now\(|Math\.random\(|import .*\brandom\w*.* from 'node:crypto'|process\.env/.test(
          read(path),
        ),
      );
    expect(impure).toEqual([]);
  });
});

const areas: readonly Area[] = namedAreas;

/** The files of the parts of an area, which `area.ts` declares by these names. */
const partFiles: Readonly<Record<string, keyof Area>> = {
  'schema.ts': 'schema',
  'routes.ts': 'routes',
  'public.ts': 'publicFiles',
  'restore-store.ts': 'restorers',
  'upkeep.ts': 'upkeep',
  'attention-store.ts': 'attention',
  'commands.ts': 'commands',
  'decider-store.ts': 'deciders',
  'check-store.ts': 'changeCheck',
  'effects-store.ts': 'effects',
};

test('every folder of an area is in the list, and every part in its declaration, under a name that is asked for', () => {
  const folders = new Set(
    filesBelow('src/areas', '.ts').flatMap((path) => /^src\/areas\/([\w-]+)\//.exec(path)?.[1] ?? []),
  );
  expect(areas.map(({ name }) => name).sort()).toEqual([...folders].sort());
  const known: readonly (keyof Area)[] = [
    'name',
    'kinds',
    'bookkeeping',
    'drafted',
    'counted',
    'enforced',
    'notEnforced',
    'acronyms',
    'groups',
    'passes',
    ...Object.values(partFiles),
  ];
  expect(areas.flatMap((area) => Object.keys(area).filter((key) => !known.some((name) => name === key)))).toEqual([]);
  const undeclared = areas.flatMap((area) =>
    Object.entries(partFiles)
      .filter(([file]) => files.includes(`src/areas/${area.name}/${file}`))
      // The restorers of all areas are used there.
      .filter(([file]) => area.name !== 'audit-events' || file !== 'restore-store.ts')
      .filter(([, part]) => area[part] === undefined)
      .map(([file]) => `${area.name}: ${file}`),
  );
  expect(undeclared).toEqual([]);
});

test('the storage names no model of an area, but for keys and people that requests come from, and IP policies and backends that several areas refer to', () => {
  const models = filesBelow('prisma', '.prisma')
    // Accounts, their activity, the trail, idempotency records and counts belong to the storage itself.
    .filter((path) => !/(schema|account|activity|audit-event|idempotency|object-count)\.prisma$/.test(path))
    .flatMap((path) => [...read(path).matchAll(/^model (\w+)/gm)].map(([, name = '']) => name));
  expect(models).toContain('SamlModule');
  const named = files
    .filter((path) => path.startsWith('src/storage/'))
    .flatMap((path) =>
      models
        .filter((model) => {
          // Some have names that are words of every text.
          const isWord = ['Person', 'Role'].includes(model);
          const names = `${model}|${model.charAt(0).toLowerCase()}${model.slice(1)}`;
          return new RegExp(isWord ? `['"]${model}['"]` : `\\b(${names})s?\\b`).test(read(path));
        })
        .map((model) => `${path}: ${model}`),
    );
  expect(named).toEqual([
    'src/storage/ip/policy-references.ts: IpPolicy',
    'src/storage/ip/policy-tables.ts: IpPolicy',
    'src/storage/ip/range-lists.ts: IpPolicySourceList',
    'src/storage/ip/rules-in-force.ts: IpPolicyRule',
    'src/storage/keys/credentials.ts: ApiKey',
    'src/storage/keys/credentials.ts: RevokedApiKey',
    'src/storage/keys/credentials.ts: Person',
    'src/storage/keys/people.ts: Role',
    'src/storage/keys/people.ts: SignInProvider',
    'src/storage/keys/people.ts: Person',
    'src/storage/lifecycle/health.ts: ApiKey',
    'src/storage/objects/accounts.ts: ApiKey',
    'src/storage/objects/backend-references.ts: TunnelGroupBackend',
    'src/storage/trail/trail.ts: ApiKey',
  ]);
});

test('what a foreign key keeps from being deleted is told who refers to it', () => {
  const stores = filesBelow('src/areas', 'store.ts').map(read);
  const camel = (model: string) => model.charAt(0).toLowerCase() + model.slice(1);
  const keys = filesBelow('prisma', '.prisma')
    .flatMap((path) => [...read(path).matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)])
    .flatMap(([, from = '', columns = '']) =>
      [...columns.matchAll(/^ +\w+ +(\w+)\?? +@relation\(fields:(.*)\)$/gm)]
        .filter(([, , options = '']) => !/onDelete: (Cascade|SetNull)/.test(options))
        .map(([, to = '']) => ({ from, to })),
    );
  expect(keys).toContainEqual({ from: 'TlsBackendModule', to: 'TunnelGroupBackend' });
  expect(keys).toContainEqual({ from: 'HttpsBackendModule', to: 'TunnelGroupBackend' });
  // A store that deletes such an object must look for all possible references: to report IN_USE, and because it would otherwise
  // retry forever.
  const untold = keys.filter(({ from, to }) => {
    const collections = stores.flatMap(
      (store) => new RegExp(`const (\\w+) = collectionOf\\('${to}'\\)`).exec(store)?.[1] ?? [],
    );
    const deleting = stores.filter((store) =>
      collections.some((collection) => store.includes(`${collection}.remove(`)),
    );
    return !deleting.some((store) => store.includes(`scope.db.${camel(from)}.`));
  });
  expect(untold.map(({ from, to }) => `the store that deletes a ${to} does not ask scope.db.${camel(from)}`)).toEqual(
    [],
  );
});
