// Builds the dashboard into the server's `dist`, with compressed copies next to each asset.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { print, stripIgnoredCharacters } from 'graphql';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'dashboard');

/** Address of the server that the development build talks to. */
const service = process.env.SALLYPORT_URL ?? 'http://127.0.0.1:4000';

/** Compresses the assets at build time, at the highest level: they are compressed once and served many times. */
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
 * Bundles only React Aria's English strings. Its screen reader texts in thirty languages would make up most of what a page loads,
 * and would mix another language into an English page (WCAG 2.2, 3.1.2).
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
 * Bundles the GraphQL documents as text, which the client parses: a tenth of the syntax trees that `codegen.ts` writes, or a third
 * when compressed. Each stands in a line of its own.
 */
const asText: Plugin = {
  name: 'documents as text',
  enforce: 'pre',
  transform: {
    filter: { id: /\.generated\.ts$/ },
    handler(code) {
      const short = code.replaceAll(/ = (\{"kind":"Document".*\}) as unknown as DocumentNode</g, (_, tree: string) => {
        const text = stripIgnoredCharacters(print(JSON.parse(tree)));
        return ` = /* @__PURE__ */ gql(${JSON.stringify(text)}) as unknown as DocumentNode<`;
      });
      return short === code ? null : `import { gql } from 'urql';\n${short}`;
    },
  },
};

/**
 * Adds `modulepreload` links for the chunks that every signed-in user needs: otherwise the browser would find them only after the
 * first script has run. The `modulepreload` polyfill is left out, because it is for browsers older than the build target.
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

/** Returns the SHA-256 of a script that hosts and clients download and check before they run it, in hexadecimal. */
const sumOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(import.meta.dirname, '..', 'deploy', 'ssh', name)))
    .digest('hex');

export default defineConfig({
  root: import.meta.dirname,
  // All URLs are relative to the page, whose path prefix may be known only to a proxy.
  base: './',
  plugins: [react(), english, asText, preloaded, compressed],
  // For `npm run dev:dashboard`, next to a running server.
  server: {
    proxy: {
      '/graphql': service,
      '/healthz': service,
      '/session': { target: service, rewrite: () => '/dashboard/session' },
    },
  },
  define: {
    hostScriptSha256: JSON.stringify(sumOf('sallyport-ssh-host')),
    clientScriptSha256: JSON.stringify(sumOf('sallyport-ssh-client')),
  },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows a single source, the server, so no asset may become a `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few files: a browser opens at most six connections to a server on plain HTTP, and each file has a cost.
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'], priority: 2 },
            { name: 'begin', test: /src[\\/]begin\.ts$/, priority: 1 },
            // What the overview has in common with many pages.
            { name: 'app', test: /src[\\/](app|trail[\\/]event-list|kit[\\/]time)\.tsx$/, priority: 1 },
            // Code shared by many of the thirty or so pages and lazily loaded forms.
            { name: 'parts', minShareCount: 10 },
          ],
        },
      },
    },
  },
});
