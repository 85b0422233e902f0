// Jest gives each test file a context of its own and loads a thousand modules into it: two seconds of processor each time, for code that
// never gets warm. Here Node itself loads modules, once for each worker, so that test files share `src/`, `test/` and packages.
const { createRequire, register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');
const { sourceMaps } = require('./compile.cjs');

register('./typescript-loader.js', pathToFileURL(__filename));

module.exports = class NativeRuntime extends Runtime {
  unstable_shouldLoadAsEsm(path) {
    return path.endsWith('.ts');
  }

  /** A module that sets up test files is called for each of them. */
  async unstable_importModule(path) {
    globalThis.jest = this.jestGlobals.jestObjectFor(path);
    const { default: setUp } = await import(pathToFileURL(path));
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
