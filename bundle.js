// @ts-check
// Puts the programs with the packages they use into a few files: a process that loads these starts in little more than
// half the processor time that it takes to find, read and link a thousand.

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The programs, and the threads that they start, by the names of their files. */
export const programs = {
  main: 'src/main.ts',
  cli: 'src/cli.ts',
  'migrate-worker': 'src/storage/sqlite/migrate-worker.ts',
  inspection: 'src/storage/sqlite/inspection.ts',
};

/**
 * What programs import as scripts, by the names of what they give: all in one file, of which V8 keeps the code that it has compiled.
 * It cannot do that for modules before Node 22.
 */
const scripts = { 'src/cli/serve.ts': 'serve', 'src/cli/run.ts': 'runCommand' };

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

/** @param {string} path of the source of a script */
const scriptName = (path) => `${basename(path, '.ts')}-script`;

/**
 * Has programs import scripts as such.
 *
 * @param {string} root
 * @param {Set<string>} imported gets the paths of the scripts
 * @returns {import('esbuild').Plugin}
 */
const scriptsByFile = (root, imported) => ({
  name: 'scripts in files of their own',
  setup({ onLoad, onResolve }) {
    const given = new Map(Object.entries(scripts).map(([path, name]) => [join(root, path), { path, name }]));
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const script = given.get(join(resolveDir, path));
      return script && { path: script.path, pluginData: script, namespace: 'script' };
    });
    onLoad({ filter: /.*/, namespace: 'script' }, ({ pluginData: { path, name } }) => {
      imported.add(path);
      const contents = `import { loadScript } from './bundle/load-script.js';
export const { ${name} } = loadScript('${scriptName(path)}.js');`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
});

/**
 * Bundles the programs that are shipped, with the code that V8 compiles of their scripts.
 *
 * @param {string} root the directory of the project
 * @param {string} directory
 * @returns {Promise<string[]>} the names of the files
 */
export async function bundlePrograms(root, directory) {
  /** @type {Set<string>} */
  const imported = new Set();
  const built = await bundle(root, programs, directory, [scriptsByFile(root, imported)]);
  if (imported.size === 0) return built;
  const scriptFiles = await bundleScripts(root, [...imported], directory);
  // Only here, as the bundler: it is not there where programs are not built.
  const { writeCodeCaches } = await import('./bundle/code-cache.js');
  return [...built, ...scriptFiles, ...(await writeCodeCaches(directory))];
}

/**
 * Bundles programs as modules. All files go into one directory, without others below it: sources that name a file beside them find it
 * there, whichever file they have become part of.
 *
 * @param {string} root the directory that the paths of the programs begin from
 * @param {Record<string, string>} entryPoints
 * @param {string} directory
 * @param {import('esbuild').Plugin[]} plugins
 * @returns {Promise<string[]>} the names of the files
 */
export function bundle(root, entryPoints, directory, plugins = []) {
  return build({
    ...settings,
    absWorkingDir: root,
    entryPoints,
    outdir: directory,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner: { js: requireForPackages },
    plugins: [...plugins, ...settings.plugins],
  });
}

/**
 * Bundles scripts, each into one file with one function, to which `load-script.js` gives what a module has. Strict, as modules are.
 *
 * @param {string} root
 * @param {readonly string[]} paths of their sources
 * @param {string} directory
 */
function bundleScripts(root, paths, directory) {
  return build({
    ...settings,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(paths.map((path) => [scriptName(path), path])),
    outdir: directory,
    format: 'cjs',
    banner: { js: '(function (module, require, __filename, __dirname, scriptUrl) {"use strict";' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'scriptUrl', 'import.meta.filename': '__filename' },
    supported: { 'dynamic-import': false },
  });
}

/** @satisfies {import('esbuild').BuildOptions} */
const settings = {
  assetNames: '[name]-[hash]',
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: packagesOutside,
  sourcemap: true,
  sourcesContent: false,
  // V8 keeps the text of what it runs: without spaces that is 30 MB less.
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [webAssemblyByFile, packagesByFile],
  logLevel: 'silent',
};

/**
 * Builds by esbuild, and gives the names of the files.
 *
 * @param {import('esbuild').BuildOptions} options
 */
async function build(options) {
  // Only here: where programs are not built there is none.
  const { build } = await import('esbuild');
  const { metafile } = await build({ ...options, metafile: true });
  return Object.keys(metafile.outputs).map((path) => basename(path));
}
