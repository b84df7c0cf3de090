// Builds the dashboard into the server's `dist`, each file with its compressed forms beside it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'dashboard');

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

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative to the page's own, which is below a path that only a proxy may know.
  base: './',
  plugins: [react(), compressed],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy names one source: the server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
