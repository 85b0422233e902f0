// Jest gives each test file a context of its own and loads a thousand modules into it: two seconds of processor each time, for code that
// never gets warm. Here Node itself loads what `tsc` has compiled, once for each worker, so that test files share `src/`, `test/` and packages.
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join, relative, resolve } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

const root = resolve(__dirname, '../..');

module.exports = class NativeRuntime extends Runtime {
  unstable_shouldLoadAsEsm(path) {
    return path.endsWith('.ts');
  }

  /** A module that sets up test files is called for each of them. */
  async unstable_importModule(path) {
    globalThis.jest = this.jestGlobals.jestObjectFor(path);
    const compiled = join(root, 'dist/tests', relative(root, path)).replace(/ts$/, 'js');
    const { default: setUp } = await import(pathToFileURL(compiled));
    await setUp?.();
  }

  /** A script that sets up test files runs for each of them. */
  requireModule(path) {
    return requireAnew(path);
  }

  /** Jest's runner keeps what it knows of a test file in a module. */
  requireInternalModule(from, to) {
    return requireAnew(to ? createRequire(from).resolve(to) : from);
  }

  getSourceMaps() {
    return sourceMaps;
  }
};

function requireAnew(path) {
  delete require.cache[path];
  return require(path);
}

/** The maps for stacks, which `tsc` writes beside what it compiles. */
class SourceMaps extends Map {
  get(source) {
    const map = `${source.replace(/^file:.*/, fileURLToPath)}.map`;
    return map.startsWith(root) && existsSync(map) ? map : undefined;
  }
}

const sourceMaps = new SourceMaps();
