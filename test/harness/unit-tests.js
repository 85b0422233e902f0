import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Also as it is compiled.
const root = fileURLToPath(new URL('../', import.meta.url)).replace('/dist/tests/', '/');

/** What needs a database, the built service, a browser, or a server of the test's own. */
const heavyPackages = ['pg', 'playwright-core', 'node:http'];
const heavyFile = join(root, 'harness/process.ts');

/** The paths of the unit tests: neither they nor the files under `test/` that they import, directly or not, need any of that. */
export function unitTests() {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(root, file))
    .filter((file) => !isHeavy(file))
    .sort();
}

/** @param seen the files already read on this walk */
function isHeavy(file, seen = new Set()) {
  if (file === heavyFile) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(readFileSync(file, 'utf8')).some((target) => {
    if (!target.startsWith('.')) return heavyPackages.includes(target);
    const imported = resolve(dirname(file), target).replace(/\.js$/, '.ts');
    return imported.startsWith(root) && existsSync(imported) && isHeavy(imported, seen);
  });
}

/** What a file imports, types aside: those are gone when it runs. */
const importsOf = (text) =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, target, dynamic]) => target ?? dynamic,
  );
