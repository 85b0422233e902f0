import express from 'express';
import { Client } from 'pg';
import { ConfigError, readConfig, warningsOf } from '../../src/core/config.js';
import { hostUrls } from '../../src/core/database-hosts.js';

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

describe('the settings', () => {
  it('need none to be set', () => {
    expect(faultsOf({})).toEqual([]);
    expect(readConfig({})).toMatchObject({
      port: 3000,
      baseUrl: 'http://localhost:3000',
      nodeEnv: 'development',
      logLevel: 'info',
      trustProxy: [],
    });
  });

  it('treat an empty variable as unset', () => {
    expect(readConfig({ PORT: '', BASE_URL: ' ', DATABASE_URL: '', STRIPE_WEBHOOK_SECRET: ',' })).toEqual(readConfig({}));
  });

  it('allow no private address for county data unless SOURCE_PRIVATE_HOSTS names the host and port, in any case', () => {
    expect(readConfig({}).sourcePrivateHosts).toEqual([]);
    expect(readConfig({ SOURCE_PRIVATE_HOSTS: 'GIS.example:6080, [fd00::1]:443' }).sourcePrivateHosts).toEqual([
      'gis.example:6080',
      '[fd00::1]:443',
    ]);
  });

  it('derive BASE_URL from PORT, and write it as browsers write an origin, since HSTS and secure cookies depend on its first letters', () => {
    expect(readConfig({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
    expect(readConfig({ BASE_URL: 'HTTPS://Parcels.Example:443/' }).baseUrl).toBe('https://parcels.example');
    expect(readConfig({ BASE_URL: 'Http://[::1]:3000' }).baseUrl).toBe('http://[::1]:3000');
  });

  it.each([
    ['NODE_ENV', 'staging'],
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['BASE_URL', 'parcels.example'],
    ['BASE_URL', 'ftp://parcels.example'],
    ['BASE_URL', 'https://parcels.example/?a=1'],
    ['BASE_URL', 'https://parcels.example/records'],
    ['BASE_URL', 'https://me:secret@parcels.example'],
    ['DATABASE_URL', 'mysql://root@db/parcels'],
    ['DATABASE_URL', 'postgres://root:pass/word@db/parcels'],
    ['DATABASE_URL', 'postgres://root:pass#word@db/parcels'],
    ['AUTH_SECRET', 'short'],
    ['AUTH_SECRET_PREVIOUS', 'short'],
    ['REQUIRE_VERIFIED_EMAIL', 'maybe'],
    ['SUPPORT_EMAIL', 'help'],
    ['TERMS_URL', 'parcels.example/terms'],
    ['PRIVACY_URL', 'javascript:alert(1)'],
    ['STATUS_URL', 'http://status.parcels.example'],
    ['BASEMAP_URL', 'http://tiles.example/{z}/{x}/{y}.png'],
    ['BASEMAP_URL', 'https://tiles.example/{z}/{x}.png'],
    ['BASEMAP_URL', 'https://{z}.tiles.example/{x}/{y}.png'],
    ['DEFAULT_OVERAGE_CAP_USD', '1.50'],
    ['TRIALS_PER_ACCOUNT', '0'],
    ['TRIALS_PER_ADDRESS', 'many'],
    ['UPLOADS_MAX_MB', '0'],
    ['SMTP_URL', 'mail.example'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://me:pass#word@mail.example'],
    ['MAIL_TO_OUTBOX', 'maybe'],
    ['STRIPE_SECRET_KEY', 'pk_test_1'],
    ['STRIPE_WEBHOOK_SECRET', 'short'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_long_enough,short'],
    ['STRIPE_API_URL', 'localhost'],
    ['STRIPE_AUTOMATIC_TAX', 'perhaps'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', 'abc'],
    ['TRUST_PROXY', '1.2.3'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['TRUST_PROXY', '10.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.0/'],
    ['TRUST_PROXY', '010.0.0.1'],
    ['TRUST_PROXY', '::1/200'],
    ['TRUST_PROXY', '::192.0.2.1'],
    ['TRUST_PROXY', 'loopback,2001:db8::/32,1.2.3'],
    ['REFRESH_OLDER_THAN_DAYS', '0'],
    ['SOURCE_PRIVATE_HOSTS', 'gis.example'],
    ['SOURCE_HEADERS', 'gis.example X-Esri-Authorization: Bearer abc'],
    ['SOURCE_PRIVATE_HOSTS', 'http://gis.example:6080'],
    ['SOURCE_PRIVATE_HOSTS', 'gis.example:6080,10.0.0.0/8'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_PORT', 'x'],
    ['WORKERS', '0'],
    ['DATABASE_CONNECTIONS', '23'],
  ])('name %s when it is %s, in one line', (variable, value) => {
    const env = { AUTH_SECRET: 'a secret of the tests, long enough', [variable]: value };
    expect(faultsOf(env)).toEqual([expect.stringMatching(new RegExp(`^${variable} [^\\n]+$`))]);
  });

  it('accept as a database what its driver accepts, and several hosts with their ports, as libpq does', () => {
    const authSecret = 'a secret of the tests, long enough';
    for (const url of [
      'postgres://db/parcels',
      'postgresql://root:p%23w@[::1]:5433/parcels',
      'postgres://root@/parcels?host=/run/postgresql',
      'postgres://root:p%23w@one:5432,two:5433,[::1]/parcels?target_session_attrs=read-write',
      'postgres://root@/parcels?host=one,two&port=5432,5433',
    ]) {
      expect(faultsOf({ DATABASE_URL: url, DATABASE_DIRECT_URL: url, AUTH_SECRET: authSecret })).toEqual([]);
      for (const one of hostUrls(url)) expect(() => new Client(one)).not.toThrow();
    }
    const hostsOf = (url: string) =>
      hostUrls(url)
        .map((one) => new Client(one))
        .map(({ host, port, database }) => [host, port, database]);
    expect(hostsOf('postgres://me:a@one,two:6000/x?application_name=y')).toEqual([
      ['one', 5432, 'x'],
      ['two', 6000, 'x'],
    ]);
    expect(hostsOf('postgres:///x?port=6000,6001&host=one,/run')).toEqual([
      ['one', 6000, 'x'],
      ['/run', 6001, 'x'],
    ]);
    expect(faultsOf({ DATABASE_DIRECT_URL: 'postgres://one/x' })).toEqual(['DATABASE_URL is required with DATABASE_DIRECT_URL']);
  });

  it('accept as proxies what Express accepts', () => {
    const trustProxy = ['loopback', 'linklocal', 'uniquelocal', '192.0.2.1', '10.0.0.0/8', '::1', '2001:db8::/32', '::ffff:192.0.2.1'];
    expect(readConfig({ TRUST_PROXY: trustProxy.join(', ') }).trustProxy).toEqual(trustProxy);
    expect(() => express().set('trust proxy', trustProxy)).not.toThrow();
  });

  it('say what they accept in the words in which they are set', () => {
    expect(faultsOf({ WORKERS: 'two', STRIPE_AUTOMATIC_TAX: '2' })).toEqual([
      'STRIPE_AUTOMATIC_TAX must be yes or no (got "2")',
      'WORKERS must be a whole number from 1 to 64 (got "two")',
    ]);
  });

  it('show the faulty value, but never a secret', () => {
    expect(faultsOf({ PORT: 'http' })[0]).toContain('"http"');
    const secrets = {
      DATABASE_URL: 'mysql://root:hunter2@db',
      DATABASE_DIRECT_URL: 'mysql://root:hunter2@db',
      AUTH_SECRET: 'hunter2',
      AUTH_SECRET_PREVIOUS: 'hunter2',
      SMTP_URL: 'user:hunter2@mail',
      STRIPE_SECRET_KEY: 'hunter2',
      STRIPE_WEBHOOK_SECRET: 'hunter2',
    };
    const faults = faultsOf(secrets);
    expect(faults).toHaveLength(Object.keys(secrets).length);
    expect(faults.join('\n')).not.toContain('hunter2');
  });

  it('require a mail server in production, unless mails may go to the outbox', () => {
    const production = { NODE_ENV: 'production', BASE_URL: 'https://parcels.example' };
    expect(faultsOf(production)).toEqual([expect.stringMatching(/^SMTP_URL is required in production/)]);
    expect(faultsOf({ ...production, SMTP_URL: 'smtp://mail.example' })).toEqual([]);
    expect(faultsOf({ ...production, MAIL_TO_OUTBOX: 'yes' })).toEqual([]);
  });

  it('require a public https address in production, unless it is this machine', () => {
    const production = { NODE_ENV: 'production', SMTP_URL: 'smtp://mail.example' };
    expect(faultsOf(production)).toEqual([expect.stringMatching(/^BASE_URL is required in production/)]);
    const faulty = ['http://parcels.example', 'http://localhost.example', 'HTTP://10.0.0.1:3000'];
    for (const BASE_URL of faulty) {
      expect(faultsOf({ ...production, BASE_URL })).toEqual([expect.stringMatching(/^BASE_URL must be https in production/)]);
    }
    for (const BASE_URL of ['https://parcels.example', 'http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000/']) {
      expect(faultsOf({ ...production, BASE_URL })).toEqual([]);
    }
  });

  it('warn of what makes sense only in a trial', () => {
    const warnings = (env: Record<string, string>) => warningsOf(readConfig(env)).map((warning) => warning.split(/[ :]/)[1]);
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_1' };
    expect(warnings({})).toEqual([]);
    expect(warnings({ NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes' })).toEqual(['BASE_URL']);
    expect(warnings({ NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes', BASE_URL: 'https://parcels.example' })).toEqual([]);
    expect(warnings(stripe)).toEqual(['STRIPE_WEBHOOK_SECRET']);
    expect(warnings({ ...stripe, STRIPE_WEBHOOK_SECRET: 'whsec_long_enough' })).toEqual([]);
  });

  it('require AUTH_SECRET with DATABASE_URL, since servers that share a database share sessions', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://db/parcels' })).toEqual([
      expect.stringMatching(/^AUTH_SECRET is required with DATABASE_URL/),
    ]);
  });
});
