import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Client, type Pool } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../src/core/config.js';
import { projectFile } from '../../src/core/project-files.js';
import { defaultConnections } from '../../src/database/connection-shares.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { warnIfTooFewConnections } from '../../src/database/limits.js';
import { requireSupportedServer } from '../../src/database/migrating/migrate.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { Caller } from '../harness/caller.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { type Finished, runCli, runNpmStart, runService, ServiceProcess, startCli, startService } from '../harness/process.js';
import { rawRequest } from '../harness/raw-request.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const sampleCounty = '48301';
const authSecret = 'a secret of the tests, long enough';
/** A start that waits for a lock says so; it says nothing about what a stop cuts off. */
const onlyWaits = /^(\{[^\n]*"the migration waits for locks of other sessions"\}\n)?$/;

describe('npm start in an empty folder', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let email: string;
  let token: string;
  let paidToken: string;

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    env = { DATA_DIR: dataDir, LOG_LEVEL: 'trace' };
    service = await ServiceProcess.start(env);
  });

  const postgresPid = async () => (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0];
  const query = async (sql: string, values: unknown[] = []) => {
    const port = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[3];
    const password = await readFile(join(dataDir, 'postgres.password'), 'utf8');
    const client = new Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/parcel_records` });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  };

  /** Reads without a pause until the service is no longer there; what it answered. */
  const readUntilGone = async (): Promise<{ statuses: number[]; entries: string[]; faults: string[] }> => {
    const seen = { statuses: [] as number[], entries: [] as string[], faults: [] as string[] };
    for (;;) {
      try {
        const headers = { authorization: `Bearer ${paidToken}` };
        const { status, text } = await rawRequest(service.url, 'GET', '/api/parcels?limit=3', { headers });
        seen.statuses.push(status);
        if (status === 200) seen.entries.push(JSON.parse(text).metering.ledger_entry_id);
      } catch (error) {
        const { code } = error as { code: string };
        if (code === 'ECONNREFUSED') return seen;
        seen.faults.push(code);
      }
    }
  };
  const readers = (count: number) => Promise.all(Array.from({ length: count }, readUntilGone));
  const chargedReads = async () => (await query(`select id from ledger_entry where kind = 'read'`)).map(({ id }) => id as string);

  it('says in a few lines where to go next', () => {
    expect(service.said).toContain('Parcel Records is up at http://localhost:');
    for (const place of ['/docs', '/console', '/admin', '/api/parcels', dataDir]) expect(service.said).toContain(place);
  });

  it('serves a sample county, labelled as such, to the first trial token', async () => {
    const caller = new Caller(service.url);
    const person = await Person.signUp(service.url);
    email = person.email;
    token = await person.trialToken();
    const { status, json } = await caller.get('/api/parcels?limit=2', { token });
    expect(status).toBe(200);
    expect(json.parcels).toMatchObject(
      Array.from({ length: 2 }, () => ({ county_fips: sampleCounty, source: expect.stringMatching(/synthetic/i) })),
    );
    expect(json.metering).toMatchObject({ credits_charged: 2, credits_remaining: 48 });
  });

  it('shares its database with the command line', async () => {
    const issued = await runCli(['--json', 'token', 'issue', '--email', email, '--plan', 'paid'], env);
    expect(issued).toMatchObject({ code: 0 });
    paidToken = JSON.parse(issued.stdout).raw_token;
    expect((await new Caller(service.url).get('/api/usage', { token: paidToken })).status).toBe(200);
  });

  it('prints the error of a command as JSON with --json, with keys named as in the contract', async () => {
    const faultOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['--json', ...args], env);
      expect([code, stdout]).toEqual([1, '']);
      return JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error; // after the log
    };
    expect(await faultOf('load', '--county', '1', 'parcels.csv')).toMatchObject({ code: 'invalid_request' });
    expect(await faultOf('admin', 'grant', 'nobody@example.com')).toEqual({
      code: 'not_found',
      message: 'Nobody has signed up with nobody@example.com.',
    });
    const { findings } = JSON.parse((await runCli(['--json', 'audit', '--new'], env)).stdout);
    expect(findings[0]).toEqual({ invariant: expect.any(String), checked: expect.any(Number), first_break: null });
  });

  it('keeps every acknowledged read through kill -9, and adopts the database that was left running', async () => {
    const reading = readers(4);
    const before = await postgresPid();
    while ((await chargedReads()).length < 30);
    await service.end('SIGKILL');
    const acknowledged = (await reading).flatMap(({ entries }) => entries);
    service = await ServiceProcess.start(env);
    expect(await postgresPid()).toBe(before);
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain('password authentication failed');
    const charged = new Set(await chargedReads());
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(acknowledged.filter((entry) => !charged.has(entry))).toEqual([]);
    expect(await runCli(['audit'], env)).toMatchObject({ code: 0 });
  });

  it('answers every accepted request when it is told to stop, and stops its database, too', async () => {
    await query(`update undelivered_read set spent_at = spent_at - interval '1 minute'`);
    await eventually('what the killed server left is taken back', async () => (await query('select from undelivered_read')).length === 0);
    const reversals = () => query(`select from ledger_entry where kind = 'reversal'`);
    const [before, reversedBefore] = [await chargedReads(), await reversals()];
    const reading = readers(4);
    while ((await chargedReads()).length < before.length + 30);
    const ended = await service.end('SIGTERM');
    const seen = await reading;
    expect(ended.code).toBe(0);
    expect(seen.flatMap(({ statuses }) => statuses).filter((status) => status !== 200)).toEqual([]);
    // A connection that waits to be accepted while the listener closes is reset by the system: nothing was read on it.
    expect(seen.flatMap(({ faults }) => faults).filter((fault) => fault !== 'ECONNRESET')).toEqual([]);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    service = await ServiceProcess.start(env);
    const answered = seen.flatMap(({ entries }) => entries);
    expect((await chargedReads()).toSorted()).toEqual([...before, ...answered].toSorted());
    expect(await reversals()).toHaveLength(reversedBefore.length);
  });

  it('leaves no token in the database, its log or our logs, even at the most verbose level', async () => {
    const tables: { name: string }[] = await query(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and nspname in ('public', 'auth', 'graphile_worker')`,
    );
    const caller = new Caller(service.url);
    await caller.get('/api/parcels?limit=1', { token });
    await caller.get(`/api/parcels?limit=1&token=${token}`);
    for (const raw of [token, paidToken]) {
      for (const { name } of tables) {
        expect([name, await query(`select from ${name} t where position($1 in t::text) > 0`, [raw])]).toEqual([name, []]);
      }
      expect(service.said).not.toContain(raw);
      expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(raw);
    }
  });

  it('leaves no email address in the log of its database, even if one is refused as taken', async () => {
    const again = `insert into auth."user" select (jsonb_populate_record(u, '{"id": "another"}')).* from auth."user" u where email = $1`;
    await expect(query(again, [email])).rejects.toThrow('duplicate key');
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('duplicate key');
    expect(log).not.toContain(email);
  });

  it('allows the connections of eleven servers, and warns of more at the start, with how many are missing', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const pool = { query: async (sql: string) => ({ rows: await query(sql) }) } as Pool;
    for (const servers of [11, 64]) await warnIfTooFewConnections(pool, servers * defaultConnections, log);
    const [{ allowed, needed, msg }, ...others] = lines.map((line) => JSON.parse(line));
    expect([needed, others]).toEqual([64 * defaultConnections, []]);
    expect(msg).toContain(`Raise max_connections by ${needed - allowed}`);
  });

  it('has an audit that finds a changed entry even if its balance still adds up', async () => {
    const [entry] = await query(`select id from ledger_entry where kind = 'read' order by sequence limit 1`);
    const change = (assignment: string) =>
      query(`
        begin;
        alter table ledger_entry disable trigger all;
        update ledger_entry set ${assignment} where id = '${entry.id}';
        alter table ledger_entry enable trigger all;
        commit`);
    const [{ request_id: requestId }] = await query('select request_id from ledger_entry where id = $1', [entry.id]);
    await change(`request_id = 'another'`);
    const { code, stdout } = await runCli(['--json', 'audit'], env);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false }]);
    expect(stdout).toContain(entry.id);
    await change(`request_id = '${requestId}'`);
    expect(await runCli(['audit'], env)).toMatchObject({ code: 0 });
  });

  it('has a database that the command line can use while the service is stopped', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    const { code, stdout } = await runCli(['--json', 'releases', '--county', sampleCounty], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      county: { fips: sampleCounty, status: 'loaded' },
      releases: [{ is_current: true, source: expect.stringMatching(/synthetic/i) }],
    });
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  /** Runs work while a lock blocks queries about this table, after other connections used the database. */
  const whileLocked = async (table: string, work: () => (signal: NodeJS.Signals) => Promise<Finished>, signal: NodeJS.Signals) => {
    const user = await acquireEmbeddedPostgres(dataDir, pino({ level: 'silent' }));
    const other = await openClient(user);
    await other.query(`begin; lock table ${table}`);
    const end = work();
    await eventually('it waits', async () => (await other.query('select from pg_locks where not granted')).rowCount! > 0);
    await user.release();
    const ended = await end(signal);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    return ended;
  };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('has no database left running by a command that %s ended half way', async (signal, code) => {
    const ended = await whileLocked('parcel_release', () => startCli(['prune'], { ...env, LOG_LEVEL: 'warn' }), signal);
    expect(ended).toEqual({ code, stdout: '', stderr: '' });
  });

  it.each([
    ['is brought up to date', 'county', '1'],
    ['looks for loads that died', 'parcel_release', '1'],
    ['looks for loads that died, in two workers', 'parcel_release', '2'],
  ])('leaves no database running when its start is interrupted while it %s', async (_, table, WORKERS) => {
    const start = () => startService({ ...env, PORT: '0', WORKERS, LOG_LEVEL: 'warn' });
    expect(await whileLocked(table, start, 'SIGINT')).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(onlyWaits) });
  });

  it.each(['PORT', 'METRICS_PORT'])('makes no database when it cannot come up because its %s is taken', async (variable) => {
    const taken = createServer().listen(0);
    const { port } = taken.address() as AddressInfo;
    const empty = join(await temporaryFolder(), 'nowhere');
    const { code, stderr } = await runService({ DATA_DIR: empty, PORT: '0', [variable]: String(port), LOG_LEVEL: 'error' });
    taken.close();
    expect([code, stderr]).toEqual([1, `Parcel Records cannot start: port ${port} is taken. Set PORT (or METRICS_PORT) to another.\n`]);
    expect(existsSync(empty)).toBe(false);
  });

  it('leaves no database running when it cannot be brought up to date', async () => {
    const user = await acquireEmbeddedPostgres(dataDir, pino({ level: 'silent' }));
    closeAtEnd(() => user.release());
    const other = await openClient(user);
    await other.query('alter table county rename to was_county');
    await other.end();
    await user.release();
    const ends = [await runCli(['audit'], env), await runService({ ...env, PORT: '0' })];
    expect(ends.map(({ code }) => code)).toEqual([1, 1]);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });
});

describe('npm start with DATABASE_URL', () => {
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase('template0');
    env = { DATABASE_URL: database.url, AUTH_SECRET: authSecret };
  });

  it('makes no sample in an empty database, and stops in good order when only npm gets the signal, as in a container', async () => {
    const service = await ServiceProcess.start(env, runNpmStart);
    expect((await new Caller(service.url).get('/api/coverage')).json.totals.by_status.loaded).toBe(0);
    await service.end('SIGTERM');
    expect(service.said).toContain('"stopped"');
    await expect(fetch(`${service.url}/health`)).rejects.toThrow();
  });

  it('exits with 0 when it is stopped before it serves', async () => {
    await database.query('begin; lock table county');
    const end = startService({ ...env, PORT: '0', LOG_LEVEL: 'warn' });
    const waiting = `select from pg_locks join pg_database d on d.oid = database where not granted and datname = current_database()`;
    await eventually('it waits', async () => (await database.query(waiting)).length > 0);
    expect(await end('SIGTERM')).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(onlyWaits) });
    await database.query('rollback');
  });

  it('exits with 1 and one line when this machine cannot listen', async () => {
    const { code, stderr } = await runService({ ...env, HOST: '192.0.2.1', LOG_LEVEL: 'error' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Parcel Records cannot start: \n {2}HOST .*\n$/)]);
  });
});

describe('a start that cannot succeed', () => {
  /** Its message, without a process of its own. */
  const refusalOf = (DATABASE_URL: string): Promise<string> =>
    openServiceDatabase(readConfig({ DATABASE_URL, AUTH_SECRET: authSecret }), pino({ level: 'silent' })).then(
      () => 'nothing',
      ({ message }: Error) => message,
    );

  it('exits with 1 and a line for each bad variable', async () => {
    const { code, stdout, stderr } = await runService({ PORT: 'http', LOG_LEVEL: 'loud', TRUST_PROXY: 'yes' });
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => line.trim().split(' ')[0]);
    expect(lines).toEqual(['Parcel', 'PORT', 'TRUST_PROXY', 'LOG_LEVEL']);
  });

  it.each([
    ['is a file', projectFile('package.json')],
    ['takes no files', '/proc'],
    ['cannot be made', '/proc/nope'],
  ])('exits at once with 1 and one line when the folder of its data %s', async (_, DATA_DIR) => {
    const { code, stderr } = await runService({ DATA_DIR });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Parcel Records cannot start: DATA_DIR .*\.\n$/)]);
  });

  it('names the Postgres version that it needs when the one found is too old', async () => {
    const old = { query: async () => ({ rows: [{ version: '13.23', major: 13, encoding: 'UTF8' }] }) };
    await expect(requireSupportedServer(old)).rejects.toThrow(/^DATABASE_URL leads to Postgres 13\.23: 14 or newer is needed\.$/);
  });

  it('exits with 1 and one line when the database cannot hold every character', async () => {
    const { url, query } = await createTestDatabase('template0');
    const latin = url.replace(/[^/]*$/, `latin_${process.pid}`);
    await query(`create database latin_${process.pid} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0 owner service`);
    closeAtEnd(() => query(`drop database latin_${process.pid}`));
    const { code, stderr } = await runService({ DATABASE_URL: latin, AUTH_SECRET: authSecret });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Parcel Records cannot start: .* encoding LATIN1, .* 'UTF8' .*\.\n$/)]);
  });

  const own = process.env.TEST_SERVICE_URL!;
  it.each([
    ['its password is another', own.replace(/:[^:]*@/, ':another@'), /password authentication failed/],
    ['there is no such database', own.replace(/[^/]*$/, 'nowhere'), /database "nowhere" does not exist/],
    ['it does not speak TLS', `${own}?sslmode=verify-full`, /refuses it \(The server does not support SSL connections\)/],
    ['its socket is not there', 'postgres:///x?host=/nowhere', /cannot be reached \(connect ENOENT \/nowhere\/\.s\.PGSQL\.5432\)\.$/],
    ['it is not there', 'postgres://nobody:hunter2@127.0.0.1:1/x', /cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\)\.$/],
  ])('says what to do in one line when %s', async (_, url, why) => expect(await refusalOf(url)).toMatch(why));

  it('names DATABASE_URL, not DATA_DIR, when its certificate file is missing', async () => {
    const env = { DATABASE_URL: 'postgres://db/x?sslrootcert=/nowhere/ca.pem', AUTH_SECRET: authSecret };
    const [service, command] = await Promise.all([runService(env), runCli(['audit'], env)]);
    const why = /DATABASE_URL cannot be used \(.*\/nowhere\/ca\.pem'\)\.$/;
    expect([service.code, service.stderr.trim().split('\n')]).toEqual([1, [expect.stringMatching(why)]]);
    expect([command.code, command.stderr.trim().split('\n')]).toEqual([1, [expect.stringMatching(why)]]);
  });

  it.each<[what: string, answer: (socket: Socket) => unknown, why: RegExp, query?: string]>([
    ['is starting up', refuses('57P03', 'the database system is starting up'), /cannot be reached \(.*is starting up\)\.$/],
    ['hangs up', (socket) => socket.end(), /cannot be reached \(Connection terminated unexpectedly\)\.$/],
    [
      'is too old for our sessions',
      refuses('42704', 'unrecognized configuration parameter "idle_session_timeout"'),
      /takes no such session \(.*"idle_session_timeout"\): it must be Postgres 14 or newer/,
    ],
    [
      'knows no such machine',
      refuses('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "nobody", database "x", no encryption'),
      /refuses it \(.*\): its pg_hba\.conf may ask for TLS\. Add \?sslmode=verify-full to DATABASE_URL\.$/,
    ],
    [
      'is a pooler without room',
      refuses('08P01', 'no more connections allowed (max_client_conn)'),
      /refuses it \(.*\): all connections are taken.*max_client_conn\), or lower DATABASE_CONNECTIONS\.$/,
    ],
    [
      'is a pooler that does not know the database',
      refuses('08P01', 'no such database: x'),
      /refuses it \(no such database: x\): create the database, or correct its name in DATABASE_URL\.$/,
    ],
    [
      'is a pooler that takes no options, not even without ours',
      refuses('08P01', 'unsupported startup parameter: options'),
      /refuses it \(.*\): its pooler passes on no session settings\. Remove \?options= from DATABASE_URL/,
    ],
    [
      'is a standby',
      refuses('25006', 'cannot execute INSERT in a read-only transaction'),
      /cannot be written to \(.*\): it is a standby\. Name the primary in DATABASE_URL, or all hosts, comma-separated\.$/,
    ],
    [
      'speaks TLS with a certificate that nobody signed',
      (socket) => {
        socket.write('S');
        new TLSSocket(socket, { isServer: true, ...selfSigned() }).on('error', () => {});
      },
      /shows a certificate that is not trusted \(.*\): name its authority by NODE_EXTRA_CA_CERTS, or by \?sslrootcert= in DATABASE_URL\.$/,
      '?sslmode=verify-full',
    ],
  ])('says what to do in one line when what answers %s', async (_, answer, why, query = '') => {
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeAtEnd(() => server.close());
    const { port } = server.address() as AddressInfo;
    const refused = await refusalOf(`postgres://nobody:hunter2@127.0.0.1:${port}/x${query}`);
    expect(refused).toMatch(why);
    expect(refused).not.toMatch(/hunter2|\n/);
  });

  it('names each address of the host when the database is at none of them, as commands do', async () => {
    const addresses = `[{ address: '127.0.0.2', family: 4 }, { address: '127.0.0.1', family: 4 }]`;
    const resolver = `import dns from 'node:dns'; dns.lookup = (host, options, done) => done(null, ${addresses});`;
    const env = {
      DATABASE_URL: 'postgres://nobody@several.localhost:1/x',
      AUTH_SECRET: authSecret,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(resolver)}`,
    };
    const tried = 'connect ECONNREFUSED 127.0.0.2:1, connect ECONNREFUSED 127.0.0.1:1';
    const [service, command] = await Promise.all([runService(env), runCli(['--json', 'audit'], env)]);
    expect([service.code, service.stderr]).toEqual([1, `Parcel Records cannot start: the database cannot be reached (${tried}).\n`]);
    expect([command.code, JSON.parse(command.stderr)]).toEqual([
      1,
      { error: { code: 'unavailable', message: `the database cannot be reached (${tried}).` } },
    ]);
  });
});

/** A certificate that no authority has signed, with its key. */
function selfSigned(): { key: Buffer; cert: Buffer } {
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout - -out - -subj /CN=nobody -days 2'.split(' ');
  const pem = execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return { key: pem, cert: pem };
}

/** Postgres' answer to a connection that it does not take. */
function refuses(code: string, message: string): (socket: Socket) => void {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return (socket) => socket.end(Buffer.concat([head, fields]));
}

describe('the command line', () => {
  // Which commands ask for a database that is there is in `commands.test.ts`.
  it('makes no database for a command that needs one, whether the folder has none or is empty', async () => {
    const dataDir = join(await temporaryFolder(), 'nowhere');
    const url = process.env.TEST_TEMPLATE_URL!.replace(/[^/]*$/, 'postgres');
    const [inFolder, inEmpty] = await Promise.all([
      runCli(['audit'], { DATA_DIR: dataDir }),
      runCli(['audit'], { DATABASE_URL: url, AUTH_SECRET: authSecret }),
    ]);
    expect([inFolder.code, inFolder.stdout, inFolder.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(`^error: There is no database in ${dataDir}: .*\n$`),
    ]);
    expect(existsSync(dataDir)).toBe(false);
    expect([inEmpty.code, inEmpty.stdout, inEmpty.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^error: The database of DATABASE_URL .*\n$/),
    ]);
  });

  it('refuses an invalid setting with one line and an exit code', async () => {
    const { code, stdout, stderr } = await runCli(['audit'], { PORT: 'x' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
