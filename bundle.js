// @ts-check
// Bundles the programs and the packages they use into a few files: a process starts from these in little more than half the
// processor time that it takes to find, read and link a thousand files.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** Entry points of the programs and of the threads that they start, by output file name. */
export const programs = {
  main: 'src/main.ts',
  cli: 'src/cli.ts',
  'migrate-worker': 'src/storage/sqlite/migrate-worker.ts',
  inspection: 'src/storage/sqlite/inspection.ts',
};

/**
 * Packages that stay in `node_modules`, because they contain more than JavaScript, or text that is served as it is. `pg-native` is
 * not installed; `pg` would prefer it if it were.
 */
export const packagesOutside = [
  'better-sqlite3',
  'better-sqlite3-13',
  '@prisma/schema-engine-wasm',
  '@graphql-yoga/render-graphiql',
  'swagger-ui-dist',
  'pg-native',
];

/**
 * Packages for XML, SSH keys, certificates, international names, file names and old encodings. Few requests need any of them, so they go into a separate
 * file, which is loaded when one of them is first used, and not with the program that imports them.
 */
const packagesLater = [
  '@xmldom/xmldom',
  'xml-crypto',
  'xml-crypto/lib/utils.js',
  'sshpk',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  'tr46',
  'iconv-lite',
  'mime-types',
];

/** The file of `packagesLater`. CommonJS, because only CommonJS can be loaded synchronously at first use. */
const fileOfPackagesLater = 'packages-later.cjs';

/**
 * Packages that ship both CommonJS, which esbuild prefers for Node, and ES modules. An import from a module is the function itself.
 * From CommonJS, each use goes through two getters, and each importer has its own getters for the whole package.
 */
const modulesOfPackages = { graphql: 'graphql/index.mjs' };

/** CommonJS packages load Node's own modules with `require`, which ES modules do not have. */
const requireForPackages =
  "import { createRequire as createRequireForPackages } from 'node:module'; const require = createRequireForPackages(import.meta.url);";

/**
 * Creates a source map that names a file, but no positions in it (esbuild issue 4130): full maps of packages would make up most of
 * the maps. It has an entry for each unindented line; a position in another line resolves to the entry before.
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
 * Replaces each of `packagesLater` by getters that load their file. In esbuild's output, an import reads a property wherever it is
 * used. A CommonJS package that reads a property of one of these packages while it is being loaded triggers the load at once.
 *
 * @param {Map<string, string>} met receives the files of the imported packages, by package name
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
      // Getters cannot replace a package that is a function, or has properties that they would not cover.
      const others = Reflect.ownKeys(exported).filter((name) => name !== '__esModule' && !names.includes(String(name)));
      if (typeof exported !== 'object' || others.length > 0) throw new Error(`${path} cannot be loaded later.`);
      const loaded = `require('./${fileOfPackagesLater}')['${path}']`;
      const getters = names.map((name) => `get ${name}() { return ${loaded}.${name}; }`);
      return { contents: `module.exports = { ${getters.join(',')} };`, loader: 'js' };
    });
  },
});

/**
 * Puts Prisma's query compiler into a binary file instead of base64 text (`generated/client/internal/class.ts`): the text is a
 * third larger, and V8 keeps it twice, as source and as value. `Buffer.from`, with which the client reads it, accepts both. Paths are
 * relative: they are part of the hashes in file names, which must be the same wherever the clone is.
 *
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
const webAssemblyByFile = (root) => ({
  name: 'WebAssembly in files of its own',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.wasm-base64\.mjs$/ }, () => ({
      contents: `import { readFileSync } from 'node:fs';
import path from './code.wasm';
export const wasm = readFileSync(new URL(path, import.meta.url));`,
      loader: 'js',
    }));
    onResolve({ filter: /^\.\/code\.wasm$/ }, ({ importer }) => ({
      path: relative(root, importer.replace('-base64.mjs', '')),
      namespace: 'base64',
    }));
    onLoad({ filter: /.*/, namespace: 'base64' }, async ({ path }) => {
      const [, text] =
        /^const wasm = "([A-Za-z0-9+/=]+)";$/m.exec(await readFile(join(root, `${path}-base64.mjs`), 'utf8')) ?? [];
      if (text === undefined)
        throw new Error(`${path}-base64.mjs holds WebAssembly in another way than bundle.js knows.`);
      return { contents: Buffer.from(text, 'base64'), loader: 'file' };
    });
  },
});

/**
 * Puts the same part of all areas into one file, such as their schemas: who needs one needs all, and a file for each would more than
 * double the number of files.
 *
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
const partsTogether = (root) => ({
  name: 'parts of all areas together',
  setup({ onLoad, onResolve }) {
    const areas = join(root, 'src', 'areas');
    const declared = /(\w+): \(\) => import\('(\.\/[\w-]+\.ts)'\)/g;
    onLoad({ filter: /[\\/]src[\\/]areas[\\/][\w-]+[\\/]area\.ts$/ }, async ({ path }) => {
      const name = basename(dirname(path));
      const text = await readFile(path, 'utf8');
      const contents = text.replace(declared, `$1: () => import('areas:$1').then((all) => all['${name}'])`);
      return { contents, loader: 'ts' };
    });
    onResolve({ filter: /^areas:/ }, ({ path }) => ({ path, namespace: 'areas' }));
    onLoad({ filter: /.*/, namespace: 'areas' }, async ({ path }) => {
      const list = await readFile(join(areas, 'areas.ts'), 'utf8');
      // In the order in which the list of areas loads them, which is that of the schema: the file evaluates them in its own order.
      const ordered = /namedAreas = \[([^\]]*)\]/.exec(list)?.[1]?.match(/\w+/g) ?? [];
      const exported = ordered.map(async (area) => {
        const name = new RegExp(`import \\{ ${area} \\} from '\\./([\\w-]+)/area\\.ts'`).exec(list)?.[1];
        if (name === undefined)
          throw new Error(`areas.ts lists ${area}, but imports it in another way than bundle.js knows.`);
        const text = await readFile(join(areas, name, 'area.ts'), 'utf8');
        const [, , file] = [...text.matchAll(declared)].find(([, part]) => path === `areas:${part}`) ?? [];
        return file === undefined
          ? ''
          : `export * as '${name}' from ${JSON.stringify(`./src/areas/${join(name, file)}`)};`;
      });
      return { contents: (await Promise.all(exported)).join('\n'), resolveDir: root };
    });
  },
});

/**
 * Bundles programs. All files go into one flat directory: sources that refer to a file beside them find it there, whichever bundle
 * they have become part of.
 *
 * @param {string} root the directory that entry point paths are relative to
 * @param {Record<string, string>} entryPoints
 * @param {string} directory
 * @returns {Promise<string[]>} the names of the files
 */
export async function bundle(root, entryPoints, directory) {
  // Imported only here: esbuild is not installed where programs are not built.
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
    // V8 keeps the source text in memory: minified, it takes 30 MB less.
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
    plugins: [loadedLater(later), webAssemblyByFile(root), packagesByFile, partsTogether(root)],
  });
  const getters = [...later]
    .sort()
    .map(([name, file]) => `get '${name}'() { return require(${JSON.stringify(`./${relative(root, file)}`)}); }`);
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
