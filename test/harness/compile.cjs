const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { transformFileSync } = require('@swc/core');

const options = {
  swcrc: false,
  configFile: false,
  sourceMaps: true,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', tsx: false, decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};

/** The JavaScript of a TypeScript file, and the map back to it. */
const compile = (path) => transformFileSync(path, options);

/** The files with the maps for stacks, by module: each is made when a stack first needs it. */
class SourceMaps extends Map {
  get(source) {
    if (!this.has(source) && /^(file:|\/).*\.tsx?$/.test(source) && !source.includes('/node_modules/')) {
      const path = source.startsWith('/') ? source : fileURLToPath(source);
      this.folder ??= mkdtempSync(join(tmpdir(), 'parcel-records-maps-'));
      const file = join(this.folder, `${this.size}.map`);
      writeFileSync(file, compile(path).map);
      this.set(source, file);
    }
    return super.get(source);
  }
}

module.exports = { compile, sourceMaps: new SourceMaps() };
