// Builds the dashboard into the server's `dist`, each file with its compressed forms beside it.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'dashboard');

/** Where the dashboard under development finds the server. */
const service = process.env.SALLYPORT_URL ?? 'http://127.0.0.1:4000';

/** Compresses once and as much as it goes what is served many times. */
const compressed: Plugin = {
  name: 'compressed files',
  apply: 'build',
  closeBundle() {
    const assets = join(outDir, 'assets');
    for (const name of readdirSync(assets)) {
      const content = readFileSync(join(assets, name));
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};

/**
 * Leaves React Aria its English words alone: those for screen readers in thirty languages would be most of what a page loads, and
 * another language amid that of the page (WCAG 2.2, 3.1.2).
 */
const english: Plugin = {
  name: 'English alone',
  enforce: 'pre',
  resolveId(source, importer) {
    const inEnglish = source.replace(/(\/intl\/(?:\w+\/)?)[a-z]{2}-[A-Z]{2}\.mjs$/, '$1en-US.mjs');
    return inEnglish === source ? null : this.resolve(inEnglish, importer);
  },
};

/**
 * Has the page name what everybody needs who is signed in: it would otherwise be found by the first script, once that has run. The
 * polyfill of `modulepreload` is for browsers older than the target.
 */
const preloaded: Plugin = {
  name: 'preloaded files',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
      const entry = chunks.find(({ isEntry }) => isEntry);
      const needed = ['begin', 'app'].map((wanted) => {
        const chunk = chunks.find(({ name }) => name === wanted);
        if (chunk === undefined) throw new Error(`There is no chunk "${wanted}" to preload: see codeSplitting.`);
        return chunk;
      });
      const names = new Set(needed.flatMap(({ fileName, imports }) => [fileName, ...imports]));
      return [...names]
        .filter((name) => name !== entry?.fileName)
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` },
          injectTo: 'head',
        }));
    },
  },
};

/** Gives the SHA-256 of a script that hosts and clients run, as they check it. */
const sumOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(import.meta.dirname, '..', 'deploy', 'ssh', name)))
    .digest('hex');

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative to the page's own, which is below a path that only a proxy may know.
  base: './',
  plugins: [react(), english, preloaded, compressed],
  // `npm run dev:dashboard`, beside a server that runs.
  server: {
    proxy: { '/graphql': service, '/session': { target: service, rewrite: () => '/dashboard/session' } },
  },
  define: {
    hostScriptSha256: JSON.stringify(sumOf('sallyport-ssh-host')),
    clientScriptSha256: JSON.stringify(sumOf('sallyport-ssh-client')),
  },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy names one source: the server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few files: a browser has six connections to a server on plain HTTP, and each file costs it some time.
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'], priority: 2 },
            { name: 'begin', test: /src[\\/]begin\.ts$/, priority: 1 },
            // The overview is where most visits begin.
            { name: 'app', test: /src[\\/](app|pages[\\/]overview[\\/]overview)\.tsx$/, priority: 1 },
            // What many pages are made of, of which there are thirty with the forms that are loaded later.
            { name: 'parts', minShareCount: 10 },
          ],
        },
      },
    },
  },
});
