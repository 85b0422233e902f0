import { createdNames, functionBodies } from '../database/migrating/sql-files.js';
import { type BooksCheck, checkOfAll } from '../ledger/books-check.js';

const changedFunctions = `
  select count(*)::integer as checked,
         string_agg(format('%s() is not the function of this version', o.name), ', ' order by o.name)
           filter (where p.prosrc is null or not p.prosrc = any(o.bodies)) as first_break
    from (select name, array_agg(body) as bodies from unnest($1::text[], $2::text[]) f (name, body) group by name) o
    left join pg_proc p on p.proname = o.name and p.pronamespace in ('public'::regnamespace, 'auth'::regnamespace)`;

// A constraint that compares no column is always true. Triggers and rules that nobody shipped may do anything.
const changedNames = `
  with shipped as (
    select distinct kind, name from unnest($1::text[], $2::text[]) s (kind, name)
  ), found as (
    select oid, relname, relkind in ('r', 'p') and not relrowsecurity as is_table
      from pg_class where relnamespace in ('public'::regnamespace, 'auth'::regnamespace)
  ), there as (
    select 'table' as kind, relname as name, is_table as is_well from found
    union all select 'index', relname, i.indisunique and i.indisvalid from found join pg_index i on i.indexrelid = found.oid
    union all select 'constraint', conname, convalidated and conkey is not null from pg_constraint join found on found.oid = conrelid
    union all select 'trigger', tgname, tgenabled = 'O' from pg_trigger join found on found.oid = tgrelid where not tgisinternal
    union all select 'rule', rulename, false from pg_rewrite join found on found.oid = ev_class where is_table
    -- foreign keys are triggers of Postgres' own
    union all select 'trigger', tgname, false from pg_trigger join found on found.oid = tgrelid where tgisinternal and tgenabled <> 'O'
  )
  select count(s.name)::integer as checked,
         string_agg(format('%s %s is %s', kind, name, case when t.name is null then 'gone' when s.name is null then 'new' else 'not in force' end),
                    ', ' order by kind, name)
           filter (where s.name is not null and t.is_well is not true or s.name is null and kind in ('trigger', 'rule')) as first_break
    from shipped s
    full join there t using (kind, name)`;

/** Other checks call functions of ours, and the service does: a superuser may have replaced one, or taken away what guards a table. */
export const shippedChecks: BooksCheck[] = [
  checkOfAll('the functions of the database are those of this version', changedFunctions, async () => {
    const bodies = await functionBodies();
    return [bodies.map(({ name }) => name), bodies.map(({ body }) => body)];
  }),
  checkOfAll('the tables, constraints and triggers of the database are those of this version, and in force', changedNames, async () => {
    const names = await createdNames();
    return [names.map(({ kind }) => kind), names.map(({ name }) => name)];
  }),
];
