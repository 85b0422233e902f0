import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes a .br and a .gz copy of every text asset, so that the server does not compress them for each request. */
export function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const texts = Object.values(bundle).filter(({ fileName }) => /^assets\/.+\.(m?js|css|json|svg)$/.test(fileName));
        // At the same time, by node's threads.
        await Promise.all(
          texts.map(async (file) => {
            // For shapes, the best quality takes ten times as long for a tenth less.
            const params = { [constants.BROTLI_PARAM_QUALITY]: /\/state-shapes-/.test(file.fileName) ? 9 : constants.BROTLI_MAX_QUALITY };
            const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: await promisify(brotliCompress)(content, { params }) });
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: await promisify(gzip)(content, { level: 9 }) });
          }),
        );
      },
    },
  };
}
