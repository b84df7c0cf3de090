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
 * Packages for XML, for keys of SSH and for certificates, by the names under which the sources import them. Few requests need any: they
 * are evaluated when something of them is first used, and not with the program that imports it.
 */
const packagesLater = [
  '@node-saml/node-saml/lib/xml.js',
  '@xmldom/xmldom',
  'xml-crypto',
  'xml-crypto/lib/utils.js',
  'sshpk',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
];

/** Packages in CommonJS ask for Node's own modules with `require`, which modules of this kind do not have. */
const requireForPackages =
  "import { createRequire as createRequireForPackages } from 'node:module'; const require = createRequireForPackages(import.meta.url);";

/**
 * A source map that knows a file, but no places in it (esbuild issue 4130). Node reads the maps with the programs, and those of
 * packages would be most of them.
 */
const mapOfFile = btoa('{"version":3,"sources":[""],"mappings":"AAAA"}');

/** @type {import('esbuild').Plugin} */
const packagesByFile = {
  name: 'source maps of packages name files alone',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${mapOfFile}`,
      loader: 'js',
    }));
  },
};

/**
 * Puts a module of getters before each of `packagesLater`. What esbuild makes of an import asks for a property where it is used, and it
 * evaluates a package in CommonJS when that is first required.
 *
 * @type {import('esbuild').Plugin}
 */
const evaluatedLater = {
  name: 'packages that are evaluated when they are first used',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer, resolveDir }) =>
      kind === 'import-statement' && !importer.includes('node_modules') && packagesLater.includes(path)
        ? { path, namespace: 'later', pluginData: { resolveDir } }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path, pluginData: { resolveDir } }) => {
      const exported = createRequire(join(resolveDir, 'importer.js'))(path);
      const names = Object.keys(exported);
      // What getters cannot stand for: a package that is a function, or has more to it than they would give.
      const others = Reflect.ownKeys(exported).filter((name) => name !== '__esModule' && !names.includes(String(name)));
      if (typeof exported !== 'object' || others.length > 0) throw new Error(`${path} cannot be evaluated later.`);
      const getters = names.map((name) => `get ${name}() { return require('${path}').${name}; }`);
      return { contents: `module.exports = { ${getters.join(',')} };`, loader: 'js', resolveDir };
    });
  },
};

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
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: directory,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: packagesOutside,
    banner: { js: requireForPackages },
    sourcemap: true,
    sourcesContent: false,
    // V8 keeps the text of what it runs: without spaces that is 30 MB less.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [evaluatedLater, webAssemblyByFile, packagesByFile],
    metafile: true,
    logLevel: 'silent',
  });
  return Object.keys(metafile.outputs).map((path) => path.slice(path.lastIndexOf('/') + 1));
}
