import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.js';
import { countyShapes } from './build/county-shapes.js';

/** Builds the React client into dist/console, from where the server itself serves it. */
export default defineConfig({
  plugins: [react(), countyShapes(), compressAssets()],
  // The server puts a fresh nonce into every page it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../../dist/console',
    // A server that runs while this builds still sends the page that names the files before.
    emptyOutDir: false,
    // The policy has no data: for scripts and fonts; a small file of its own costs nothing over one connection.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Says which file needs which; a test adds up the first load by it.
    manifest: true,
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/graphql', '/openapi.json', '/health'].map((path) => [path, 'http://localhost:3000'])),
  },
});
