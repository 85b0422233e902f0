import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { closeAtEnd } from '../harness/closing.js';
import { freePort } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import type { Cluster, Crash } from './cluster.js';
import { Owner } from './owner.js';
import { patiently } from './patiently.js';
import { findPrograms, Node } from './patroni-node.js';

const frozenMs = 30_000;
const run = promisify(execFile);

/** The operators' database: two Postgres under Patroni with a synchronous standby, behind HAProxy. */
export class PatroniCluster implements Cluster {
  /** A failover empties the table of reads on their way, as a crash does. */
  readonly crashes: Crash[] = [];
  private readonly programs = findPrograms();
  private readonly children: ChildProcess[] = [];
  private readonly nodes: Node[] = [];
  private isFailingOver = false;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(await temporaryFolder(), await freePort());
    closeAtEnd(() => cluster.stop());
    const { folder, nodes, programs } = cluster;
    const launch = await unprivilegedLaunch(folder);
    const etcdPort = await freePort();
    cluster.spawn(programs.etcd, etcdFlags(join(folder, 'etcd'), etcdPort, await freePort()));
    await patiently(() => fetch(`http://127.0.0.1:${etcdPort}/health`));
    for (const role of ['primary', 'replica'] as const) {
      const node = await Node.create(`node${nodes.length + 1}`, etcdPort, folder, programs, launch);
      nodes.push(node);
      await node.start();
      await node.becomes(role);
    }
    await writeFile(join(folder, 'haproxy.cfg'), haproxyConfig(cluster.port, nodes));
    cluster.spawn(programs.haproxy, ['-db', '-f', join(folder, 'haproxy.cfg')]);
    const owner = new Owner(cluster.urlOf('postgres', 'postgres'));
    await patiently(() => owner.rows(`create role service login password 'service'`));
    await owner.rows('create database parcel_records owner service');
    return cluster;
  }

  get ownerUrl(): string {
    return this.urlOf('parcel_records', 'postgres');
  }

  get serviceUrl(): string {
    return this.urlOf('parcel_records', 'service:service');
  }

  /** Kills the leader's machine, or one process of it. */
  kill(backend?: number): Promise<void> {
    return this.failOver(async (leader) => {
      if (backend !== undefined) return void process.kill(backend, 'SIGKILL');
      await leader.signal('SIGKILL');
      await this.other(leader).becomes('primary');
      await leader.start();
    });
  }

  switchOver(): Promise<void> {
    return this.failOver((leader) => leader.switchOverTo(this.other(leader)));
  }

  /** The leader's machine stops in the middle of everything: its connections stay open and nothing answers. It comes back and must not lead. */
  freeze(): Promise<void> {
    return this.failOver(async (leader) => {
      await leader.signal('SIGSTOP');
      await Promise.all([this.other(leader).becomes('primary'), pause(frozenMs)]).finally(() => leader.signal('SIGCONT'));
      await leader.becomes('replica');
    });
  }

  async restoreDump(): Promise<string> {
    const dump = join(this.folder, 'parcel_records.dump');
    await run(this.programs.pg_dump, ['-Fc', '--file', dump, this.serviceUrl]);
    await new Owner(this.ownerUrl).rows('create database restored owner service');
    const restored = this.urlOf('restored', 'service:service');
    await run(this.programs.pg_restore, ['--no-owner', '--dbname', restored, dump]);
    return restored;
  }

  private async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    for (const child of this.children) child.kill('SIGKILL');
  }

  /** One at a time: two failed machines are no cluster. It ends when one node leads and the other follows. */
  private async failOver(work: (leader: Node) => Promise<void>): Promise<void> {
    if (this.isFailingOver) return;
    this.isFailingOver = true;
    const crash = { at: Date.now(), backAt: Number.POSITIVE_INFINITY };
    this.crashes.push(crash);
    try {
      await work(await this.leader());
      const leader = await this.leader();
      await this.other(leader).becomes('replica');
      crash.backAt = Date.now();
    } finally {
      this.isFailingOver = false;
    }
  }

  private leader(): Promise<Node> {
    return patiently(async () => {
      for (const node of this.nodes) if (await node.is('primary')) return node;
      throw new Error('there is no primary');
    });
  }

  private other(node: Node): Node {
    return this.nodes.find((each) => each !== node)!;
  }

  private urlOf(database: string, user: string): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  private spawn(program: string, args: string[]): void {
    this.children.push(spawn(program, args, { stdio: 'ignore' }));
  }
}

function etcdFlags(dataDir: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const flags = {
    name: 'torture',
    'data-dir': dataDir,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `torture=${peer}`,
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}

/** A node that is no primary any more loses its connections: otherwise servers would wait on a frozen machine. */
const haproxyConfig = (port: number, nodes: readonly Node[]): string => `
defaults
  timeout connect 2s
  timeout check 1s
  timeout client 30m
  timeout server 30m
  option redispatch
listen database
  bind 127.0.0.1:${port}
  mode tcp
  option httpchk OPTIONS /primary
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`).join('\n')}
`;
