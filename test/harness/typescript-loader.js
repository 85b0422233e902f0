import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.cjs';

// Modules live as long as a worker, this object as long as a test file.
const jestGlobals = `export const jest = new Proxy({}, { get: (_, name) => globalThis.jest[name] });`;

/** Finds the TypeScript that `./file.js` stands for. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: `data:text/javascript,${encodeURIComponent(jestGlobals)}`, shortCircuit: true };
  if (/^\.{1,2}\/.*\.js$/.test(specifier)) {
    for (const ending of ['.ts', '.tsx']) {
      const { href } = new URL(specifier.replace(/\.js$/, ending), context.parentURL);
      if (href.startsWith('file:') && !href.includes('/node_modules/') && existsSync(fileURLToPath(href)))
        return { url: href, shortCircuit: true };
    }
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!/\.tsx?$/.test(url)) return next(url, context);
  return { format: 'module', source: compile(fileURLToPath(url)).code, shortCircuit: true };
}
