import type { Plugin } from 'vite';

/** `virtual:NAME` exports the URL of a file that is loaded separately from the script. @param content creates its text */
export const servedFile = (name: string, content: () => string): Plugin =>
  servedModule(name, async (addressOf) => addressOf(name, content()));

/**
 * `virtual:NAME` exports an object with the URLs of such files and what else is known of each, by keys. Only the client has them.
 * @param files creates their texts
 */
export const servedFiles = (name: string, files: () => Promise<Map<string, { text: string }>>): Plugin =>
  servedModule(name, async (addressOf, isServer) => {
    const entries = [...(isServer ? new Map() : await files())].map(([key, { text, ...known }]) => {
      const fields = Object.entries(known).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
      return `${JSON.stringify(key)}: { ${[...fields, `address: ${addressOf(`${name}-${key}.json`, text)}`].join(', ')} }`;
    });
    return `{ ${entries.join(', ')} }`;
  });

type AddressOf = (file: string, text: string) => string;

/** @param write the exported expression, with the expression of a file's URL where it is named */
function servedModule(name: string, write: (addressOf: AddressOf, isServer: boolean) => Promise<string>): Plugin {
  // Ends with no kind of file: Vite would read the module as one.
  const moduleId = `\0${name} address`;
  let isBuild = false;
  const texts = new Map<string, string>();
  return {
    name,
    configResolved: (config) => {
      isBuild = config.command === 'build';
    },
    resolveId: (id) => (id === `virtual:${name}` ? moduleId : undefined),
    async load(id, options) {
      if (id !== moduleId) return undefined;
      const addressOf: AddressOf = (file, text) => {
        texts.set(`/${file}`, text);
        return isBuild
          ? `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: file, source: text })}`
          : JSON.stringify(`/${file}`);
      };
      return `export default ${await write(addressOf, options?.ssr === true)}`;
    },
    configureServer: (server) => {
      server.middlewares.use((request, response, next) => {
        const path = request.url!;
        const text = texts.get(path);
        if (text === undefined) return next();
        const type = path.endsWith('.json') ? 'application/json' : /\.m?js$/.test(path) ? 'text/javascript' : 'text/plain; charset=utf-8';
        response.setHeader('content-type', type).end(text);
      });
    },
  };
}
