import type { Plugin } from 'vite';

const entry = 'customer/customer-pages.tsx';

/**
 * Makes `console.html` of `index.html`: the same page, which names the script of the console and all it needs as well, so
 * that they are fetched beside the first script and not after it.
 */
export function consoleShell(): Plugin {
  return {
    name: 'console-shell',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const shell = bundle['index.html'];
        const pages = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(entry));
        if (shell?.type !== 'asset' || !pages) throw new Error(`no index.html, or no chunk of ${entry}`);
        const needed = new Set<string>();
        const collect = (fileName: string) => {
          if (needed.has(fileName)) return;
          needed.add(fileName);
          chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(collect);
        };
        collect(pages.fileName);
        const html = String(shell.source);
        const links = [...needed]
          .filter((fileName) => !html.includes(fileName))
          .map((fileName) => `    <link rel="modulepreload" crossorigin href="/${fileName}">\n`);
        this.emitFile({ type: 'asset', fileName: 'console.html', source: html.replace('  </head>', `${links.join('')}  </head>`) });
      },
    },
  };
}
