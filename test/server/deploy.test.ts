import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Registry, register } from 'prom-client';
import { serviceGauges } from '../../src/admin/dashboard/service-gauges.js';
import { readConfig, settingDefaults } from '../../src/core/config.js';
import '../../src/core/metrics.js';
import { projectFile } from '../../src/core/project-files.js';
import { doors } from '../../src/rest/doors.js';
import '../../src/rest/metrics.js';
import { closeAtEnd } from '../harness/closing.js';
import { onlyWith } from '../harness/only-with.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const read = (file: string) => readFileSync(projectFile(file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const unknownOf = (names: string[]) => names.filter((name) => !settingDefaults.has(name));

const isInstalled = (program: string) => process.env.PATH!.split(delimiter).some((folder) => existsSync(join(folder, program)));
const withProgram = (program: string) => onlyWith(isInstalled(program), `no ${program}`);

/** The objections of a program that checks files; empty if there are none. */
function faultsFoundBy(program: string, args: string[], environment = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

/** After the drain notice a server takes up to 9 s more to stop. */
const stopSecondsAfter = (noticeSeconds: number) => noticeSeconds + 9;

describe('npm run serve', () => {
  it('is npm start without the build', () => {
    expect(scripts.serve).toBe(scripts.start);
    expect(Object.keys(scripts)).toContain('prestart');
    expect(Object.keys(scripts)).not.toContain('preserve');
  });
});

describe('npm run cli', () => {
  it('runs, like the server, with options that this version of Node accepts', () => {
    const run = (words: string[], settings = {}) => {
      const env = { PATH: process.env.PATH, ...settings };
      return spawnSync('sh', [projectFile('src/server/deploy/run.sh'), ...words], { encoding: 'utf8', env });
    };
    expect(run(['cli', '--version']).stdout).toMatch(/^\d+\.\d+\.\d+$/m);
    expect(run(['serve'], { WORKERS: '0' }).stderr).toMatch(/WORKERS must be/);
  });

  it('compiles nothing when there is no compiler', async () => {
    const { status, stderr } = spawnSync('sh', ['-c', scripts.precli], { cwd: await temporaryFolder(), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('npm ci', () => {
  /** Which of these packages npm counts as installed. */
  const installed = (args: string[], environment: Record<string, string>) =>
    spawnSync('npm', ['ls', 'vite', 'typescript', 'pg', '--depth=0', '--json', ...args], {
      cwd: projectFile(),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      encoding: 'utf8',
    }).stdout;
  const namesIn = (list: string) => Object.keys(JSON.parse(list).dependencies ?? {}).sort();

  it('installs what npm start builds with, even in production', () => {
    expect(namesIn(installed([], { NODE_ENV: 'production' }))).toEqual(['pg', 'typescript', 'vite']);
  });

  it('leaves it out with --omit=dev', () => {
    expect(namesIn(installed(['--omit=dev'], {}))).toEqual(['pg']);
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
  const wordsAfter = (instruction: string) =>
    [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, words]) => words!.split(' '));

  it('starts what npm run serve starts', () => {
    const [command] = wordsAfter('CMD');
    expect(`exec ${JSON.parse(command!.join(' ')).join(' ')}`).toBe(scripts.serve);
  });

  it('counts a server as healthy while /health is 200, and as unhealthy as soon as it is not', async () => {
    let status = 200;
    const paths: unknown[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.writeHead(status, { Connection: 'close' }).end();
    });
    await once(server.listen(0), 'listening');
    const close = closeAtEnd(() => server.close());
    const [, command] = /^HEALTHCHECK .* CMD (.*)$/m.exec(dockerfile)!;
    const [, ...words] = JSON.parse(command!) as string[];
    const check = async (host = '') => {
      const { port } = server.address() as AddressInfo;
      const [code] = await once(spawn(process.execPath, words, { env: { PORT: String(port), HOST: host }, stdio: 'ignore' }), 'exit');
      return code;
    };
    expect(await check()).toBe(0);
    expect(await check('::1')).toBe(0);
    status = 503;
    expect(await check()).toBe(1);
    expect(paths).toEqual(['/health', '/health', '/health']);
    await close();
  });

  it('runs scripts that exist', () => {
    const called = [...dockerfile.matchAll(/^RUN .*?npm run ([\w:]+)/gm)].map(([, name]) => name!);
    expect(called).not.toEqual([]);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('copies files that exist and that .dockerignore lets in', () => {
    const copied = wordsAfter('COPY').flatMap((words) => (words[0]!.startsWith('--from') ? [] : words.slice(0, -1)));
    const isLetIn = (file: string) => read('.dockerignore').split('\n').includes(`!${file}`);
    expect(copied).toContain('src');
    expect(copied.filter((file) => !existsSync(projectFile(file)) || !isLetIn(file))).toEqual([]);
  });
});

interface Container {
  image: string;
  environment: Record<string, string>;
  volumes: string[];
  mem_limit?: string;
  logging?: object;
  stop_grace_period: string;
}

// Those that an operator gives to each deployment.
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://db/parcels',
  AUTH_SECRET: 'a-value-of-thirty-two-characters',
  SMTP_URL: 'smtp://mail.example',
};
const compose = read('compose.yaml').replaceAll(
  /\$\{(\w+):([?-])[^}]*\}/g,
  (_, name, kind) => secrets[name] ?? (kind === '?' ? 'x.example' : ''),
);
const { services } = load(compose, { schema: CORE_SCHEMA.withTags(mergeTag) }) as { services: Record<string, Container> };

const unit = 'src/server/deploy/parcel-records@.service';
const unitValues = (key: string) => [...read(unit).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);

// biome-ignore lint/suspicious/noExplicitAny: of several kinds, each as Kubernetes defines it
const manifests = loadAll(read('src/server/deploy/kubernetes.yaml')) as any[];
const pod = manifests.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;

describe.each<[string, environment: Record<string, string>, stopSeconds: number]>([
  ['compose.yaml', services['server-1']!.environment, Number.parseInt(services['server-1']!.stop_grace_period, 10)],
  [
    'the systemd unit',
    {
      BASE_URL: 'https://x.example',
      ...secrets,
      ...Object.fromEntries(unitValues('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')))),
    },
    Number(unitValues('TimeoutStopSec')),
  ],
  ['kubernetes.yaml', { ...manifests.find(({ kind }) => kind === 'ConfigMap').data, ...secrets }, pod.terminationGracePeriodSeconds],
])('a server of %s', (_, environment, stopSeconds) => {
  const variables = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, String(value ?? '').replace('%i', '3001')]),
  );

  it('has settings that exist and that production accepts', () => {
    expect(unknownOf(Object.keys(variables))).toEqual([]);
    expect(readConfig({ ...variables, NODE_ENV: 'production' }).databaseUrl).toMatch(/^postgres:/);
  });

  it('gets the time that its drain takes, which is longer than two checks of the proxy', () => {
    const notice = Number(variables.DRAIN_NOTICE_SECONDS);
    expect(stopSeconds).toBeGreaterThan(stopSecondsAfter(notice));
    const [, interval] = /health_interval (\d+)s/.exec(read('src/server/deploy/Caddyfile'))!;
    for (const seconds of [Number(interval), pod.containers[0].readinessProbe.periodSeconds]) expect(notice).toBeGreaterThan(2 * seconds);
  });
});

describe('compose.yaml', () => {
  const containers = Object.values(services);

  it('asks for what .env.example names, and pins each container’s version and limits its memory and log', () => {
    const asked = [...new Set([...read('compose.yaml').matchAll(/\$\{(\w+):/g)].map(([, name]) => name))];
    expect([...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name).toSorted()).toEqual(asked.toSorted());
    const images = [
      ...containers.map(({ image }) => image),
      ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!),
    ];
    expect(images.filter((image) => image !== 'parcel-records' && !/:\d+\.\d+/.test(image))).toEqual([]);
    expect(containers.filter(({ mem_limit, logging }) => !mem_limit || !logging)).toEqual([]);
  });

  it('mounts files that exist', () => {
    const files = containers.flatMap(({ volumes }) => volumes).filter((volume) => volume.startsWith('./'));
    expect(files).not.toEqual([]);
    expect(files.map((volume) => volume.split(':')[0]!).filter((file) => !existsSync(projectFile(file)))).toEqual([]);
  });
});

describe(unit, () => {
  it('starts what npm run serve starts', () => {
    expect(unitValues('ExecStart').map((command) => command.replace('/bin/sh', 'exec sh'))).toEqual([scripts.serve]);
  });

  withProgram('systemd-analyze').test('is valid for systemd, under its name', async () => {
    const folder = await temporaryFolder();
    await cp(projectFile(unit), join(folder, 'parcel-records@.service'));
    // It looks for the program, too.
    const faults = faultsFoundBy('systemd-analyze', ['verify', join(folder, 'parcel-records@3001.service')]);
    expect(faults.replace(/^.*Command \/usr\/bin\/node is not executable.*$/m, '').trim()).toBe('');
  });
});

describe('src/server/deploy/Caddyfile', () => {
  it('checks a path that the service serves, as Kubernetes does', () => {
    const [, path] = /health_uri (\S+)/.exec(read('src/server/deploy/Caddyfile'))!;
    const { readinessProbe, livenessProbe } = pod.containers[0];
    const paths = doors.map((door) => door.path);
    expect([path, readinessProbe.httpGet.path, livenessProbe.httpGet.path].filter((each) => !paths.includes(each))).toEqual([]);
  });

  withProgram('caddy').test('is valid for Caddy', async () => {
    const environment = { HOME: await temporaryFolder(), SITE: 'localhost', SERVERS: '127.0.0.1:3001 127.0.0.1:3002' };
    const file = projectFile('src/server/deploy/Caddyfile');
    expect(faultsFoundBy('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], environment)).toBe('');
  });
});

describe('alert rules and dashboard', () => {
  interface Rule {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: { summary: string; runbook: string };
  }
  const rulesFile = 'src/server/deploy/alerts.yaml';
  const { rules } = (load(read(rulesFile)) as { groups: [{ rules: Rule[] }] }).groups[0];
  const { panels } = JSON.parse(read('src/server/deploy/dashboard.json')) as { panels: { title: string; targets: { expr: string }[] }[] };

  const own = new Registry();
  collectDefaultMetrics({ register: own });
  // The metrics of `core` and `rest` register themselves when they are imported.
  const registries = [own, register, serviceGauges(null as unknown as Pool, '')];
  const served = ['up', ...registries.flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name))];
  /** The names that come before labels or a range, or stand alone as a function's argument, without what a histogram appends. */
  const metricsIn = (expr: string) =>
    [...expr.replaceAll(/"[^"]*"|\bby \([^)]*\)/g, '').matchAll(/\b([a-z]\w+)(?=[{[)])/g)].map(([, name]) =>
      name!.replace(/_(bucket|count|sum)$/, ''),
    );

  it('query only metrics that are served', () => {
    for (const { name, expr } of [
      ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
    ]) {
      const metrics = metricsIn(expr);
      expect({ name, isQuery: metrics.length > 0, unknown: metrics.filter((metric) => !served.includes(metric)) }).toEqual({
        name,
        isQuery: true,
        unknown: [],
      });
    }
  });

  it('say of each alert whether it wakes somebody, and which section of a page to follow', () => {
    expect(rules.filter(({ labels }) => !['page', 'ticket'].includes(labels.severity))).toEqual([]);
    expect(rules.filter(({ annotations }) => !annotations.runbook.includes('.md#'))).toEqual([]);
  });

  withProgram('promtool').test('are valid for Prometheus, and fire when something is wrong and only then', () => {
    expect(faultsFoundBy('promtool', ['check', 'rules', projectFile(rulesFile)])).toBe('');
    expect(faultsFoundBy('promtool', ['test', 'rules', projectFile('test/server/alerts.promtool.yaml')])).toBe('');
  });
});
