import type { Plugin } from 'vite';

/** `virtual:NAME` exports the URL of a JSON asset that is loaded separately from the script. @param content creates its text */
export function jsonAsset(name: string, content: () => string): Plugin {
  const moduleId = `virtual:${name}`;
  const fileName = `${name}.json`;
  let isBuild = false;
  return {
    name,
    configResolved: (config) => {
      isBuild = config.command === 'build';
    },
    resolveId: (id) => (id === moduleId ? `\0${moduleId}` : undefined),
    load(id) {
      if (id !== `\0${moduleId}`) return undefined;
      if (!isBuild) return `export default '/${fileName}'`;
      const reference = this.emitFile({ type: 'asset', name: fileName, source: content() });
      return `export default import.meta.ROLLUP_FILE_URL_${reference}`;
    },
    configureServer: (server) => {
      server.middlewares.use(`/${fileName}`, (_request, response) => {
        response.setHeader('content-type', 'application/json').end(content());
      });
    },
  };
}
