import { ask } from '../../database/long-reads.js';
import { functionBodies } from '../../database/migrating/sql-files.js';
import type { BooksCheck } from '../../ledger/books-check.js';

/** Other checks call functions of ours, and the service does: a superuser may have replaced one. */
export const functionsCheck: BooksCheck = {
  invariants: ['the functions of the database are those of this release'],
  async *run(db) {
    const ours = await functionBodies();
    const [row] = await ask<{ checked: number; first_break: string | null }>(
      db,
      `select count(*)::integer as checked,
              string_agg(format('%s() is not the function of this release', p.proname), ', ' order by p.proname)
                filter (where not p.prosrc = any(o.bodies)) as first_break
         from pg_proc p
         join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'auth')
         join (
           select name, array_agg(body) as bodies from unnest($1::text[], $2::text[]) f (name, body) group by name
         ) o on o.name = p.proname`,
      [ours.map(({ name }) => name), ours.map(({ body }) => body)],
    );
    yield { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
  },
};
