import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

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
