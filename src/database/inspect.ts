import type { Logger } from 'pino';
import { AppError } from '../core/errors.js';
import { startLimits } from './limits.js';
import { ServiceClient } from './service-client.js';
import { asPooled, isPooled, withoutTransactionLimit, withSessionSettings } from './session-settings.js';

export interface Inspection {
  /** The URL, marked if it leads through a pooler, without a time limit on transactions. */
  url: string;
  isFilled: boolean;
  /** Tells this database from all others. */
  database: string;
  /** Whether a connection keeps its session: no pooler in transaction mode is in between. */
  keepsSessions: boolean;
}

interface Row {
  isFilled: boolean;
  /** Whether this Postgres has a time limit on transactions (17 and newer). */
  limitsTransactions: boolean;
  database: string;
  pid: number;
  /** The session's defaults as `name = value`. */
  settings: Record<string, string>;
  /** The beginning of the statement that changes such a default. */
  alter: string;
}

// What `sessionSettings` sets where no pooler is in between.
const neededDefaults = {
  TimeZone: ['UTC', /^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/],
  DateStyle: ['ISO', /^ISO/],
  default_transaction_isolation: ['read committed', /^read committed$/],
} as const;
const timeLimits = ['statement_timeout', 'lock_timeout'];
const sessionProbes = 3;

/** Finds out what a URL leads to. @throws AppError if its sessions cannot serve us */
export async function inspect(url: string, variable: string, log: Logger): Promise<Inspection> {
  await using client = await connect(url).catch((error: Error) => {
    if (!isPooled(url) && error.message.includes('unsupported startup parameter')) return null;
    throw error;
  });
  if (!client) return inspect(asPooled(url), variable, log);
  const { rows } = await client.query(
    `select to_regclass('migrations') is not null as "isFilled", pg_backend_pid() as pid,
            exists (select from pg_settings where name = 'transaction_timeout') as "limitsTransactions",
            concat(current_database(), ' ', extract(epoch from pg_postmaster_start_time())) as database,
            (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings,
            format('alter role %I in database %I set', current_user, current_database()) as alter`,
    [[...Object.keys(neededDefaults), ...timeLimits]],
  );
  const row = rows[0] as Row;
  // A pooler may ignore our settings instead of refusing them, but it gives each connection a process id of its own.
  if (!isPooled(url) && row.pid !== client.processID) return inspect(asPooled(url), variable, log);
  if (isPooled(url)) {
    requireDefaults(row, variable);
    warnOfMissingLimits(row, variable, log);
  }
  const { isFilled, database, limitsTransactions } = row;
  const unlimited = limitsTransactions ? withoutTransactionLimit(url) : url;
  return { url: unlimited, isFilled, database, keepsSessions: !isPooled(url) || (await keepsSessions(client, url)) };
}

interface Backend extends ServiceClient {
  /** The process that the server named when the connection began. The types of `pg` lack it. */
  processID: number;
}

async function connect(url: string): Promise<Backend> {
  const client = new ServiceClient({ connectionString: withSessionSettings(url), ...startLimits });
  client.on('error', () => {});
  await client.connect();
  return client as Backend;
}

/** Whether a connection comes back to the same process of Postgres while another one holds a transaction. */
async function keepsSessions(client: ServiceClient, url: string): Promise<boolean> {
  const pidOf = async (of: ServiceClient) => (await of.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  await using other = await connect(url);
  for (let probe = 0; probe < sessionProbes; probe++) {
    const before = await pidOf(client);
    await other.query('begin');
    // The order matters: a pool of one connection would make the second question wait for the first.
    if ((await pidOf(other)) === before || (await pidOf(client)) !== before) return false;
    await other.query('rollback');
  }
  return true;
}

function requireDefaults({ settings, alter }: Row, variable: string): void {
  const wrong = Object.entries(neededDefaults).filter(([name, [, isRight]]) => !isRight.test(settings[name]!));
  if (wrong.length === 0) return;
  const found = wrong.map(([name]) => `${name} ${settings[name]}`).join(', ');
  const remedies = wrong.map(([name, [value]]) => `"${alter} ${name} = '${value}'"`).join(' and ');
  throw new AppError(
    'not_configured',
    `Sessions of ${variable} begin with ${found}, and its pooler lets no client change that. Run ${remedies}, and RECONNECT the pooler.`,
  );
}

/** In transactions we set them. A single statement that outlasts its caller would go on waiting for its lock in Postgres. */
function warnOfMissingLimits({ settings, alter }: Row, variable: string, log: Logger): void {
  const missing = timeLimits.filter((name) => settings[name] === '0');
  if (missing.length === 0) return;
  const remedies = missing.map((name) => `"${alter} ${name} = '${name === 'lock_timeout' ? '2s' : '15s'}'"`).join(' and ');
  log.warn(`Postgres ends no statement that comes through the pooler of ${variable}, however long it waits. Run ${remedies}`);
}
