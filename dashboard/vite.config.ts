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

/** Gives the SHA-256 of a script that hosts and clients run, as they check it. */
const sumOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(import.meta.dirname, '..', 'deploy', 'ssh', name)))
    .digest('hex');

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative to the page's own, which is below a path that only a proxy may know.
  base: './',
  plugins: [react(), compressed],
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
  },
});
