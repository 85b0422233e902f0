import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeAtEnd } from './closing.js';
import { eventually } from './eventually.js';
import { freePort } from './process.js';
import { temporaryFolder } from './temporary-folder.js';

/** The programs that are installed: the one on the PATH, and the one that the variable `PGBOUNCER` names. */
export const pgbouncers = [...new Set([process.env.PGBOUNCER, 'pgbouncer', '/usr/sbin/pgbouncer'])]
  .map((program) => ({ program: program ?? '', version: program ? versionOf(program) : null }))
  .filter(({ version }, index, all) => version !== null && all.findIndex((other) => other.version === version) === index)
  .map(({ program, version }) => ({ program, version: version! }));

/** A PgBouncer in front of the tests' Postgres. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(program: string, databaseUrl: string, settings: Record<string, string | number> = {}): Promise<PgBouncer> {
    const folder = await temporaryFolder();
    const { username, password, hostname, port: serverPort } = new URL(databaseUrl);
    const port = await freePort();
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: join(folder, 'users'),
      max_client_conn: 1000,
      ...settings,
    };
    writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`);
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const ini = join(folder, 'pgbouncer.ini');
    writeFileSync(ini, `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`);
    chmodSync(folder, 0o755);
    // It refuses to run as root.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const child = spawn(program, [ini], { ...nobody, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output.text += text));
    const pooler = new PgBouncer(child, port);
    closeAtEnd(() => pooler.stop());
    await eventually('the pooler listens', async () => {
      if (child.exitCode !== null) throw new Error(output.text);
      return output.text.includes('process up');
    });
    return pooler;
  }

  /** The address of a database behind it. */
  urlOf(databaseUrl: string): string {
    return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }
}

function versionOf(program: string): string | null {
  try {
    return /PgBouncer ([\d.]+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))![1]!;
  } catch {
    return null;
  }
}
