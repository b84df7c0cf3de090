// @ts-check
// Puts the programs with the packages they use into a few files: a process that loads these starts in little more than
// half the processor time that it takes to find, read and link a thousand.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The programs, and the threads that they start, by the names of their files. */
export const programs = {
  main: 'src/main.ts',
  cli: 'src/cli.ts',
  'migrate-worker': 'src/storage/sqlite/migrate-worker.ts',
  inspection: 'src/storage/sqlite/inspection.ts',
};

/**
 * Packages that stay in `node_modules`, because they are more than JavaScript, or text that is served as it is. `pg-native` is
 * what `pg` would rather use, were it installed.
 */
export const packagesOutside = [
  'better-sqlite3',
  '@prisma/schema-engine-wasm',
  '@graphql-yoga/render-graphiql',
  'swagger-ui-dist',
  'pg-native',
];

/**
 * Packages for XML, for keys of SSH and for certificates, for names of files and for old encodings. Few requests need any: they have a
 * file of their own, which is loaded when something of them is first used, and not with the program that imports them.
 */
const packagesLater = [
  '@node-saml/node-saml/lib/xml.js',
  '@xmldom/xmldom',
  'xml-crypto',
  'xml-crypto/lib/utils.js',
  'sshpk',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  'iconv-lite',
  'mime-types',
];

/** The file of `packagesLater`: CommonJS, because only that can be loaded in the midst of something else. */
const fileOfPackagesLater = 'packages-later.cjs';

/**
 * Packages that are there as CommonJS and as modules, of which esbuild takes the former for Node. What is imported from a module is the
 * function itself; from CommonJS, it is asked for through two getters each time, and each importer keeps getters of its own for all of it.
 */
const modulesOfPackages = { graphql: 'graphql/index.mjs' };

/** Packages in CommonJS ask for Node's own modules with `require`, which modules of this kind do not have. */
const requireForPackages =
  "import { createRequire as createRequireForPackages } from 'node:module'; const require = createRequireForPackages(import.meta.url);";

/**
 * Writes a source map that knows a file, but no places in it (esbuild issue 4130): maps of packages would be most of all. It has an entry
 * where something begins at the edge of a line, and what stands further in is found by the entry before it.
 *
 * @param {string} text
 */
function mapOfFile(text) {
  const lines = text.split('\n').map((line) => (/^\S/.test(line) ? 'AAAA' : ''));
  return btoa(`{"version":3,"sources":[""],"mappings":"${lines.join(';')}"}`);
}

/** @type {import('esbuild').Plugin} */
const packagesByFile = {
  name: 'source maps of packages name files alone',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const map = `//# sourceMappingURL=data:application/json;base64,${mapOfFile(text)}`;
      return { contents: `${text}\n${map}`, loader: 'js' };
    });
  },
};

/**
 * Has getters stand for each of `packagesLater`, which load their file. What esbuild makes of an import asks for a property where it is
 * used. A package in CommonJS that takes a function out of another one as it is loaded has the file loaded then.
 *
 * @param {Map<string, string>} met takes the files of those that are imported, by their names
 * @returns {import('esbuild').Plugin}
 */
const loadedLater = (met) => ({
  name: 'packages that are loaded when they are first used',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, resolveDir }) => {
      if (!packagesLater.includes(path)) return undefined;
      const file = createRequire(join(resolveDir, 'importer.js')).resolve(path);
      if ((met.get(path) ?? file) !== file) throw new Error(`${path} is there twice: ${met.get(path)} and ${file}.`);
      met.set(path, file);
      return { path, namespace: 'later' };
    });
    onResolve({ filter: /.*/, namespace: 'later' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => {
      const exported = createRequire(import.meta.url)(met.get(path) ?? path);
      const names = Object.keys(exported);
      // What getters cannot stand for: a package that is a function, or has more to it than they would give.
      const others = Reflect.ownKeys(exported).filter((name) => name !== '__esModule' && !names.includes(String(name)));
      if (typeof exported !== 'object' || others.length > 0) throw new Error(`${path} cannot be loaded later.`);
      const loaded = `require('./${fileOfPackagesLater}')['${path}']`;
      const getters = names.map((name) => `get ${name}() { return ${loaded}.${name}; }`);
      return { contents: `module.exports = { ${getters.join(',')} };`, loader: 'js' };
    });
  },
});

/**
 * Prisma's compiler of queries, as the bytes that it is and not as text that holds them (`generated/client/internal/class.ts`): the text
 * is a third larger, and V8 keeps it twice, as source and as value. `Buffer.from`, by which the client reads it, takes both.
 *
 * @type {import('esbuild').Plugin}
 */
const webAssemblyByFile = {
  name: 'WebAssembly in files of its own',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.wasm-base64\.mjs$/ }, () => ({
      contents: `import { readFileSync } from 'node:fs';
import path from './code.wasm';
export const wasm = readFileSync(new URL(path, import.meta.url));`,
      loader: 'js',
    }));
    onResolve({ filter: /^\.\/code\.wasm$/ }, ({ importer }) => ({
      path: importer.replace('-base64.mjs', ''),
      namespace: 'base64',
    }));
    onLoad({ filter: /.*/, namespace: 'base64' }, async ({ path }) => {
      const [, text] = /^const wasm = "([A-Za-z0-9+/=]+)";$/m.exec(await readFile(`${path}-base64.mjs`, 'utf8')) ?? [];
      if (text === undefined)
        throw new Error(`${path}-base64.mjs holds WebAssembly in another way than bundle.js knows.`);
      return { contents: Buffer.from(text, 'base64'), loader: 'file' };
    });
  },
};

/**
 * Bundles programs. All files go into one directory, without others below it: sources that name a file beside them find it
 * there, whichever file they have become part of.
 *
 * @param {string} root the directory that the paths of the programs begin from
 * @param {Record<string, string>} entryPoints
 * @param {string} directory
 * @returns {Promise<string[]>} the names of the files
 */
export async function bundle(root, entryPoints, directory) {
  // Only here: where programs are not built there is none.
  const { build } = await import('esbuild');
  /** @satisfies {import('esbuild').BuildOptions} */
  const settings = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: packagesOutside,
    sourcemap: true,
    sourcesContent: false,
    // V8 keeps the text of what it runs: without spaces that is 30 MB less.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    logLevel: 'silent',
  };
  /** @type {Map<string, string>} */
  const later = new Map();
  const { metafile: ofPrograms } = await build({
    ...settings,
    entryPoints,
    outdir: directory,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    alias: modulesOfPackages,
    banner: { js: requireForPackages },
    plugins: [loadedLater(later), webAssemblyByFile, packagesByFile],
  });
  const getters = [...later]
    .sort()
    .map(([name, file]) => `get '${name}'() { return require(${JSON.stringify(file)}); }`);
  const { metafile: ofPackagesLater } = await build({
    ...settings,
    stdin: { contents: `module.exports = { ${getters.join(',')} };`, resolveDir: root },
    outfile: join(directory, fileOfPackagesLater),
    format: 'cjs',
    plugins: [packagesByFile],
  });
  const written = [ofPrograms, ofPackagesLater].flatMap(({ outputs }) => Object.keys(outputs));
  return written.map((path) => path.slice(path.lastIndexOf('/') + 1));
}
