import type { Plugin } from 'vite';

/** `virtual:NAME` exports the URL of a file that is loaded separately from the script. @param content creates its text */
export function servedFile(name: string, content: () => string): Plugin {
  // Ends with no kind of file: Vite would read the module as one.
  const moduleId = `\0${name} address`;
  let isBuild = false;
  return {
    name,
    configResolved: (config) => {
      isBuild = config.command === 'build';
    },
    resolveId: (id) => (id === `virtual:${name}` ? moduleId : undefined),
    load(id) {
      if (id !== moduleId) return undefined;
      if (!isBuild) return `export default '/${name}'`;
      const reference = this.emitFile({ type: 'asset', name, source: content() });
      return `export default import.meta.ROLLUP_FILE_URL_${reference}`;
    },
    configureServer: (server) => {
      server.middlewares.use(`/${name}`, (_request, response) => {
        const type = name.endsWith('.json') ? 'application/json' : /\.m?js$/.test(name) ? 'text/javascript' : 'text/plain; charset=utf-8';
        response.setHeader('content-type', type).end(content());
      });
    },
  };
}
