import type { OpenApi } from '../../docs/openapi.js';
import type { DocsSource } from '../../docs/sections.js';
import { site } from '../site.js';

const files = import.meta.glob<string>(['../../docs/pages/*', '../../docs/programs/*'], { query: '?raw', import: 'default', eager: true });

const texts = Object.fromEntries(Object.entries(files).map(([path, text]) => [path.split('/').at(-1)!, text]));

/** What the docs are made of. @param contract the document at `/openapi.json` */
export const docsSource = (contract: OpenApi): DocsSource => ({ contract, plans: site, texts });
