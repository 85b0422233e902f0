import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian puts the programs of Postgres; those on the PATH may be of another Postgres. */
const postgresFolders = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`);
const folders = [...postgresFolders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** Debian's package of each program. */
const packages = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  pg_controldata: 'postgresql',
  pg_dump: 'postgresql-client',
  pg_restore: 'postgresql-client',
} as const;

export type Programs = Record<keyof typeof packages, string>;

/** The path of each program, and the packages that are missing. */
export function findPrograms(): { programs: Programs; missing: string[] } {
  const found = Object.keys(packages).map((name) => [name, folders.map((folder) => join(folder, name)).find(isExecutable)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [packages[name as keyof Programs]]));
  return { programs: Object.fromEntries(found) as Programs, missing: [...new Set(missing)] };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
