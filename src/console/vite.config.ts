import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { readCatalogue } from '../counties/catalogue.js';
import { compressAssets, keepFormerAssets } from './build/assets.js';
import { countyShapes } from './build/county-shapes.js';
import { servedFile, servedFiles } from './build/served-file.js';
import { stateShapes } from './build/state-shapes.js';

// As `tsc` writes it: the page's worker imports it, customers download it and tests run it.
const verifier = new URL('../../dist/src/proofs/verifier/verify-ledger.js', import.meta.url);
const schemaFile = (name: string) => readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8');

/**
 * Builds the React client into dist/console, from where the server serves it; with `--ssr`, the program that renders its public pages on
 * the server into dist/console-server, with all that it needs.
 */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    react(),
    servedFile('county-shapes.json', countyShapes),
    servedFiles('state-shapes', stateShapes),
    servedFile('county-names.json', countyNames),
    servedFile('verify-ledger.js', () => readFileSync(verifier, 'utf8')),
    servedFile('check.mjs', () => schemaFile('check.mjs')),
    servedFile('ledger.md', () => schemaFile('ledger.md')),
    ...(isSsrBuild ? [] : [compressAssets(), keepFormerAssets()]),
  ],
  ssr: { noExternal: true },
  worker: { format: 'es' },
  // A placeholder: the server puts a new nonce here in each page that it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: isSsrBuild ? '../../dist/console-server' : '../../dist/console',
    // `keepFormerAssets` removes old files.
    emptyOutDir: isSsrBuild === true,
    // No inlining: the content security policy forbids data: URLs for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A test uses the manifest to compute the size of the first load.
    manifest: !isSsrBuild,
    copyPublicDir: !isSsrBuild,
    reportCompressedSize: false,
    // The map's library is 900 KB in one file, and only a map loads it.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      // Compressing takes most of a build, which is no fault.
      checks: { pluginTimings: false },
      output: isSsrBuild
        ? {}
        : {
            // By default each module that two pages share becomes its own file, and a page waited for two dozen of them.
            codeSplitting: {
              groups: [
                { name: 'first', tags: ['$initial'], priority: 5 },
                // Without it the groups below would take these along, and each page would load those groups.
                {
                  name: 'shared',
                  test: /components\/(List|Paper|SimpleGrid)\/|utils\/(create-safe-context|get-b|get-sorted)|use-(clipboard|window-event)\/|console\/(plans|site)\.|hooks\/use-remote\.|ui\/(combobox|parts|code)\./,
                  priority: 4,
                },
                {
                  name: 'places',
                  test: /map\/(find-places|states|status|status-legend)\.|visitor\/place-search\./,
                  priority: 3,
                },
                {
                  name: 'reading',
                  test: /use-hotkeys\/|ui\/(tables\/data-table|id)\./,
                  priority: 2,
                },
                {
                  name: 'forms',
                  test: /(auth|hooks)\/(leave-page|use-signed-in-user)\.|components\/(Checkbox|Divider|List|NativeSelect|PasswordInput|Progress|Textarea|TextInput)\//,
                  priority: 1,
                },
                {
                  name: 'console',
                  test: /console\/graphql|(ui|shell|hooks)\/(dialogs|console-frame|tables\/pager|use-filters)\./,
                },
              ],
            },
          },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/graphql', '/page-data', '/openapi.json', '/health'].map((path) => [path, 'http://localhost:3000']),
    ),
  },
}));

/** FIPS code, name and state of every county in the catalogue. */
const countyNames = (): string => JSON.stringify(readCatalogue().map(({ fips, name, state }) => [fips, name, state]));
