import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { projectFile } from '../../core/project-files.js';

/** schema/openapi.yaml with this service's URL and the name of its session cookie. */
export function contractAt(baseUrl: string): Contract & { servers: object[] } {
  const contract = load(readFileSync(projectFile('schema/openapi.yaml'), 'utf8')) as Contract;
  const { session } = contract.components.securitySchemes;
  if (baseUrl.startsWith('https:')) session.name = `__Host-${session.name}`;
  return { ...contract, servers: [{ url: baseUrl, description: 'Where this service runs.' }] };
}

interface Contract {
  components: {
    securitySchemes: { session: { name: string } };
    /** What each error code means, and what to do about it. */
    'x-errors': Record<string, { meaning: string; cure: string }>;
  };
}
