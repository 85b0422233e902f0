import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { parse } from 'csv-parse/sync';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.js';
import { countyShapes } from './build/county-shapes.js';
import { jsonAsset } from './build/json-asset.js';
import { keepFormerAssets } from './build/keep-former-assets.js';

const countyCatalogue = new URL('../counties/county-catalogue.csv', import.meta.url);

/** Builds the React client into dist/console, from where the server serves it. */
export default defineConfig({
  plugins: [
    react(),
    jsonAsset('county-shapes', countyShapes),
    jsonAsset('county-names', countyNames),
    compressAssets(),
    keepFormerAssets(),
  ],
  // A placeholder: the server puts a new nonce here in each page that it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../../dist/console',
    // `keepFormerAssets` removes old files.
    emptyOutDir: false,
    // No inlining: the content security policy forbids data: URLs for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A test uses the manifest to compute the size of the first load.
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // By default each module that two pages share becomes its own file, and a page waited for two dozen of them.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 3 },
            {
              name: 'reading',
              test: /(ui|format)\/(code-block|data-table|facts|id|state-badge|timestamp)\.|components\/Badge\//,
              priority: 2,
            },
            {
              name: 'forms',
              test: /auth-client|session-gate|use-signed-in-user|(ui|hooks)\/(action-error|use-action)\.|components\/(Checkbox|Divider|List|NativeSelect|PasswordInput|TextInput)\//,
              priority: 1,
            },
            {
              name: 'console',
              test: /console\/graphql|(ui|shell|hooks)\/(confirm-dialog|console-frame|form-dialog|pager|use-filters)\.|components\/Progress\//,
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
});

/** FIPS code, name and state of every county in the catalogue. */
function countyNames(): string {
  const rows: { fips: string; name: string; state: string }[] = parse(readFileSync(countyCatalogue), { columns: true });
  return JSON.stringify(rows.map(({ fips, name, state }) => [fips, name, state]));
}
