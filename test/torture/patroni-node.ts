import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Launch } from '../../src/database/embedded/cluster.js';
import { readPidFile } from '../../src/database/embedded/postmaster.js';
import { childrenOf } from '../bench/cpu.js';
import { freePort } from '../harness/process.js';

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

/** Where Debian puts the programs of Postgres; those on the PATH may be of another Postgres. */
const postgresFolders = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`);
const folders = [...postgresFolders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** @throws an error that names the packages that are missing */
export function findPrograms(): Programs {
  const found = Object.keys(packages).map((name) => [name, folders.map((folder) => join(folder, name)).find(isExecutable)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [packages[name as keyof Programs]]));
  if (missing.length > 0) throw new Error(`these packages are not installed: ${[...new Set(missing)].join(', ')}`);
  return Object.fromEntries(found) as Programs;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const patienceMs = 120_000;

type Role = 'primary' | 'replica';

/** A Postgres under Patroni: what would be one machine. */
export class Node {
  private patroni: ChildProcess | null = null;

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly restPort: number,
    private readonly folder: string,
    private readonly programs: Programs,
    private readonly launch: Launch,
  ) {}

  static async create(name: string, etcdPort: number, root: string, programs: Programs, launch: Launch): Promise<Node> {
    const folder = join(root, name);
    await mkdir(folder, { mode: 0o700 });
    await launch.own(folder);
    const node = new Node(name, await freePort(), await freePort(), folder, programs, launch);
    await writeFile(node.configPath, JSON.stringify(node.config(etcdPort)));
    await launch.own(node.configPath);
    return node;
  }

  /** Starts Patroni, which starts Postgres. */
  async start(): Promise<void> {
    const log = await open(join(this.folder, 'patroni.log'), 'a');
    const [command, args] = this.launch.command(this.programs.patroni, [this.configPath]);
    this.patroni = spawn(command, args, { ...this.launch.options, cwd: this.folder, stdio: ['ignore', log.fd, log.fd] });
    await log.close();
  }

  /** Patroni's own answer: whether Postgres runs here in this role. */
  async is(role: Role): Promise<boolean> {
    return fetch(`${this.restUrl}/${role}`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async becomes(role: Role): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await this.is(role))) {
      if (Date.now() > deadline) throw new Error(`${this.name} did not become the ${role}: ${await this.lastWords()}`);
      await pause(100);
    }
  }

  async switchOverTo(other: Node): Promise<void> {
    const answer = await fetch(`${this.restUrl}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: this.name, candidate: other.name }),
    });
    if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`);
    await other.becomes('primary');
  }

  /** Sends a signal to all processes of this node: SIGKILL, SIGSTOP and SIGCONT do to them what happens to machines. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.pids()) {
      try {
        process.kill(pid, signal);
      } catch {} // it has just ended
    }
  }

  async stop(): Promise<void> {
    await this.signal('SIGCONT');
    await this.signal('SIGKILL');
  }

  private async pids(): Promise<number[]> {
    const postmaster = (await readPidFile(join(this.folder, 'data')))?.pid;
    // A number in a file may be another process' by now: only the postmaster of this folder counts.
    const isOurs = (await readFile(`/proc/${postmaster}/cmdline`, 'utf8').catch(() => '')).includes(join(this.folder, 'data'));
    const pids = new Set([...(this.patroni?.exitCode === null ? [this.patroni.pid!] : []), ...(isOurs ? [postmaster!] : [])]);
    for (const pid of pids) for (const child of childrenOf(pid)) pids.add(child);
    return [...pids];
  }

  private async lastWords(): Promise<string> {
    return (await readFile(join(this.folder, 'patroni.log'), 'utf8')).trim().split('\n').slice(-4).join(' · ');
  }

  private get restUrl(): string {
    return `http://127.0.0.1:${this.restPort}`;
  }

  private get configPath(): string {
    return join(this.folder, 'patroni.yml');
  }

  /** JSON is YAML, too. */
  private config(etcdPort: number): object {
    const address = (port: number) => ({ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` });
    return {
      scope: 'torture',
      name: this.name,
      restapi: address(this.restPort),
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          // The shortest that Patroni allows: it decides how long a lost leader is waited for.
          ttl: 20,
          loop_wait: 2,
          retry_timeout: 3,
          master_start_timeout: 0,
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, wal_log_hints: 'on' } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
      },
      postgresql: {
        ...address(this.port),
        data_dir: join(this.folder, 'data'),
        bin_dir: dirname(this.programs.pg_controldata),
        pgpass: join(this.folder, 'pgpass'),
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
        pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { unix_socket_directories: this.folder, shared_buffers: '128MB' },
      },
    };
  }
}
