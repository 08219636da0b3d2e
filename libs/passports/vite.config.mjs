import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The script of the page that checks evidence: one file that imports nothing, in words that a person can still read years later. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    target: 'es2022',
    minify: false,
    reportCompressedSize: false,
    lib: {
      entry: fileURLToPath(new URL('src/verifier/verify-script.page.ts', import.meta.url)),
      // A script with its own scope: the page needs no loader.
      formats: ['iife'],
      name: 'verifyBundle',
      fileName: () => 'script.js',
    },
  },
});
