import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { freePort } from '../harness/process.js';
import { Owner } from '../torture/owner.js';
import { patiently } from '../torture/patiently.js';
import { TorturedServer } from '../torture/server.js';
import { Node } from './node.js';
import type { Programs } from './programs.js';

/** The operators' stack: two Postgres under Patroni with a synchronous standby, and HAProxy before them and before two servers of ours. */
export class Stack {
  readonly nodes: Node[] = [];
  readonly servers: TorturedServer[] = [];
  private readonly children: ChildProcess[] = [];
  private databasePort = 0;
  private servicePort = 0;
  /** As the superuser, on whichever node is the primary. */
  owner: Owner;

  private constructor(
    readonly folder: string,
    readonly programs: Programs,
  ) {}

  static async create(programs: Programs): Promise<Stack> {
    return new Stack(await mkdtemp(join(tmpdir(), 'parcel-records-drill-')), programs);
  }

  /** @param version the root of the version that the servers run */
  async start(version: string): Promise<void> {
    const launch = await unprivilegedLaunch(this.folder);
    const etcdPort = await freePort();
    this.databasePort = await freePort();
    this.servicePort = await freePort();
    this.run(this.programs.etcd, etcdFlags(join(this.folder, 'etcd'), etcdPort, await freePort()));
    await patiently(() => fetch(`http://127.0.0.1:${etcdPort}/health`));
    for (const [name, role] of [
      ['node1', 'primary'],
      ['node2', 'replica'],
    ] as const) {
      const node = await Node.create(name, etcdPort, this.folder, this.programs, launch);
      this.nodes.push(node);
      await node.start();
      await node.becomes(role);
    }
    await this.balance('database', databaseSection(this.databasePort, this.nodes));
    await createDatabase(this.databasePort);
    this.owner = new Owner(`postgres://postgres@127.0.0.1:${this.databasePort}/parcel_records`);
    for (const name of ['server 1', 'server 2']) {
      this.servers.push(await TorturedServer.start(name, this.urlOf('parcel_records'), version));
    }
    await this.balance('service', serviceSection(this.servicePort, this.servers));
    await patiently(async () => {
      if (!(await fetch(`${this.url}/ready`)).ok) throw new Error('HAProxy has no server yet');
    });
  }

  /** A database of the primary, as the service's own role. */
  urlOf(database: string): string {
    return `postgres://service:service@127.0.0.1:${this.databasePort}/${database}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.servicePort}`;
  }

  async primary(): Promise<Node> {
    return patiently(async () => {
      for (const node of this.nodes) if (await node.is('primary')) return node;
      throw new Error('there is no primary');
    });
  }

  other(node: Node): Node {
    return this.nodes.find((each) => each !== node)!;
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    await this.owner?.close();
    for (const node of this.nodes) await node.stop();
    for (const child of this.children) child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private run(program: string, args: string[]): void {
    this.children.push(spawn(program, args, { stdio: 'ignore' }));
  }

  private async balance(name: string, section: string): Promise<void> {
    const path = join(this.folder, `${name}.cfg`);
    await writeFile(path, `${defaults}\n${section}\n`);
    this.run(this.programs.haproxy, ['-db', '-f', path]);
  }
}

async function createDatabase(port: number): Promise<void> {
  const owner = new Owner(`postgres://postgres@127.0.0.1:${port}/postgres`);
  await patiently(() => owner.rows(`create role service login password 'service'`));
  await owner.rows('create database parcel_records owner service');
  await owner.close();
}

function etcdFlags(dataDir: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const flags = {
    name: 'drill',
    'data-dir': dataDir,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `drill=${peer}`,
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}

const defaults = `
defaults
  timeout connect 2s
  timeout check 1s
  timeout client 30m
  timeout server 30m
  option redispatch`;

/** A node that is no primary any more loses its connections: otherwise servers would wait on a frozen machine. */
const databaseSection = (port: number, nodes: readonly Node[]): string => `
listen database
  bind 127.0.0.1:${port}
  mode tcp
  option httpchk OPTIONS /primary
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`).join('\n')}`;

const serviceSection = (port: number, servers: TorturedServer[]): string => `
listen service
  bind 127.0.0.1:${port}
  mode http
  option httpchk GET /ready
  default-server inter 200ms fall 1 rise 1
${servers.map((server, index) => `  server server${index + 1} 127.0.0.1:${server.port} check`).join('\n')}`;
