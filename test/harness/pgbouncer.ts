import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeAtEnd } from './closing.js';
import { eventually } from './eventually.js';
import { collect, freePort, launch, versionOf } from './process.js';
import { temporaryFolder } from './temporary-folder.js';

/** The programs that are installed: the one on the PATH, and the one that the variable `PGBOUNCER` names. */
export const pgbouncers = [...new Set([process.env.PGBOUNCER ?? '', 'pgbouncer', '/usr/sbin/pgbouncer'])]
  .map((program) => ({ program, version: program && versionOf(program, /PgBouncer ([\d.]+)/) }))
  .filter(({ version }, index, all) => version && all.findIndex((other) => other.version === version) === index);

/** A PgBouncer in front of the tests' Postgres, as long as the test file. */
export class PgBouncer {
  private constructor(private readonly port: number) {}

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
    const child = launch(program, [ini], {}, process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {});
    // When it is asked, it waits for its clients.
    closeAtEnd(() => child.kill('SIGKILL'));
    const output = { stdout: '', stderr: '' };
    void collect(child, output);
    await eventually('the pooler listens', async () => {
      if (child.exitCode !== null) throw new Error(output.stderr);
      return output.stderr.includes('process up');
    });
    return new PgBouncer(port);
  }

  /** The address of a database behind it. */
  urlOf(databaseUrl: string): string {
    return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }
}
