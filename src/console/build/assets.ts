import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
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

const keepDays = 30;

/**
 * Keeps the assets of earlier builds: tabs that stay open during a deploy and servers that run during a build still request them. Assets
 * that no build has written or replaced for 30 days are removed.
 */
export function keepFormerAssets(): Plugin {
  let folder: string;
  return {
    name: 'keep-former-assets',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    // The 30 days of an asset start with the build that replaces it.
    buildStart: () => markAsPresent(folder),
    closeBundle: () => removeOld(join(folder, 'assets'), Date.now() - keepDays * 24 * 60 * 60 * 1000),
  };
}

/** Marks all files of the last build as in use now. */
export function markAsPresent(folder: string): void {
  const manifest = join(folder, '.vite/manifest.json');
  if (!existsSync(manifest)) return;
  const chunks: Record<string, { file: string; css?: string[]; assets?: string[] }> = JSON.parse(readFileSync(manifest, 'utf8'));
  const now = new Date();
  for (const { file, css = [], assets = [] } of Object.values(chunks)) {
    for (const name of [file, ...css, ...assets].flatMap((path) => [path, `${path}.br`, `${path}.gz`])) {
      const path = join(folder, name);
      if (existsSync(path)) utimesSync(path, now, now);
    }
  }
}

export function removeOld(assets: string, before: number): void {
  for (const name of readdirSync(assets)) {
    const path = join(assets, name);
    if (statSync(path).mtimeMs < before) rmSync(path);
  }
}
