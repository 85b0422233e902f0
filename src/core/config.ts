import 'reflect-metadata';
import { resolve } from 'node:path';
import { IsBoolean, IsIn, IsOptional, IsUrl, Matches, MinLength, validateSync } from 'class-validator';
import { allOf } from './check-body.js';
import { IsWholeNumber, isDatabase, isMailServer, isProxy, MustBe, publicAddressFaults } from './setting-rules.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

interface Variable {
  name: string;
  read(text: string): unknown;
  /** What it is if it is not set. */
  unset?: string;
  isSecret?: boolean;
}

const variables = new Map<string | symbol, Variable>();

/** Names a setting's variable. Without a value for an unset variable, the setting is optional. */
const Variable = (name: string, { read = (text) => text, ...options }: Partial<Variable> = {}): PropertyDecorator =>
  allOf((_config, key) => void variables.set(key, { name, read, ...options }), ...(options.unset === undefined ? [IsOptional()] : []));

const WholeNumber = (name: string, min: number, max: number, unset?: number): PropertyDecorator =>
  allOf(Variable(name, { read: wholeNumber, ...(unset !== undefined && { unset: String(unset) }) }), IsWholeNumber(min, max));

const YesOrNo = (name: string): PropertyDecorator =>
  allOf(Variable(name, { read: yesOrNo, unset: 'no' }), IsBoolean({ message: 'must be yes or no' }));

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** The service's settings. Only this file reads the environment. */
export class Config {
  @Variable('NODE_ENV', { unset: 'development' })
  @IsIn(['development', 'test', 'production'])
  nodeEnv: 'development' | 'test' | 'production';

  @WholeNumber('PORT', 0, 65535, 3000)
  port: number;

  /** Default: all interfaces, IPv4 and IPv6. */
  @Variable('HOST')
  host?: string;

  /** The public URL of the service, without a trailing slash. Links, cookies and passkeys depend on it. */
  @Variable('BASE_URL', { read: (text) => text.replace(/\/+$/, '') })
  @IsUrl({
    require_tld: false,
    require_protocol: true,
    protocols: ['http', 'https'],
    allow_query_components: false,
    allow_fragments: false,
    disallow_auth: true,
  })
  @Matches(/^(\w+:\/\/)?[^/]*$/, { message: 'must have no path: our pages, cookies and links are at the root of a host' })
  baseUrl: string;

  @Variable('DATABASE_URL', { isSecret: true })
  @MustBe('a postgres:// address, in whose password / is %2F and # is %23', isDatabase)
  databaseUrl?: string;

  /** For sessions, where `databaseUrl` leads through a pooler. Default: `databaseUrl`. */
  @Variable('DATABASE_DIRECT_URL', { isSecret: true })
  @MustBe('a postgres:// address, in whose password / is %2F and # is %23', isDatabase)
  databaseDirectUrl?: string;

  /** The most connections of a server process, without those of loads. Default: see `database/connection-shares.ts`. */
  @WholeNumber('DATABASE_CONNECTIONS', 24, 1_000)
  databaseConnections?: number;

  @Variable('DATA_DIR', { read: (text) => resolve(text), unset: './data' })
  dataDir: string;

  /** Required with DATABASE_URL. With the embedded database it is generated and stored in `dataDir`. */
  @Variable('AUTH_SECRET', { isSecret: true })
  @MinLength(32)
  authSecret?: string;

  /** The secret before the last rotation. Cookies signed with it are still valid. */
  @Variable('AUTH_SECRET_PREVIOUS', { isSecret: true })
  @MinLength(32)
  authSecretPrevious?: string;

  @YesOrNo('REQUIRE_VERIFIED_EMAIL')
  requireVerifiedEmail: boolean;

  /** The trials whose records a person gets within 30 days. */
  @WholeNumber('TRIALS_PER_ACCOUNT', 1, 1_000_000, 5)
  trialsPerAccount: number;

  /** The trials whose records an address gets within a day, over all accounts. */
  @WholeNumber('TRIALS_PER_ADDRESS', 1, 1_000_000, 30)
  trialsPerAddress: number;

  /** Default: mails are written to `dataDir`/outbox. */
  @Variable('SMTP_URL', { isSecret: true })
  @MustBe('an smtp:// or smtps:// address, in whose password / is %2F and # is %23', isMailServer)
  smtpUrl?: string;

  /** Allows production without SMTP_URL: mails go to `dataDir`/outbox and their links to the log. */
  @YesOrNo('MAIL_TO_OUTBOX')
  mailToOutbox: boolean;

  @Variable('STRIPE_SECRET_KEY', { isSecret: true })
  @Matches(/^[rs]k_/, { message: "must be one of Stripe's secret keys (sk_… or rk_…)" })
  stripeSecretKey?: string;

  /** Several during a rotation. Any of them may sign. */
  @Variable('STRIPE_WEBHOOK_SECRET', { read: listOf, unset: '', isSecret: true })
  @Matches(/^\S{8,}$/, { each: true, message: 'must be signing secrets of 8 characters or more, comma-separated' })
  stripeWebhookSecrets: string[];

  @Variable('STRIPE_API_URL')
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  stripeApiUrl?: string;

  /** Whether Stripe calculates taxes and adds them to invoices. */
  @YesOrNo('STRIPE_AUTOMATIC_TAX')
  stripeAutomaticTax: boolean;

  /** What an account may owe in overage before it is billed within the period, in whole dollars; unset: any amount. */
  @WholeNumber('OVERAGE_BILL_THRESHOLD_USD', 1, 1_000_000)
  overageBillThresholdUsd?: number;

  /** Addresses or networks of our reverse proxies, in the form of Express' `trust proxy`. Empty: no proxy. */
  @Variable('TRUST_PROXY', { read: listOf, unset: '' })
  @MustBe('loopback, linklocal, uniquelocal, or addresses and networks (10.0.0.0/8), comma-separated', isProxy, true)
  trustProxy: string[];

  /** Servers of county data that may be called although their address is private. Empty: public addresses only. */
  @Variable('SOURCE_PRIVATE_HOSTS', { read: (text) => listOf(text.toLowerCase()), unset: '' })
  @Matches(/^([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/, { each: true, message: 'must be hosts with ports (gis.example:6080), comma-separated' })
  sourcePrivateHosts: string[];

  /** The number of server processes, which share the port. */
  @WholeNumber('WORKERS', 1, 64, 1)
  workers: number;

  /** How long a stopping server announces the stop, by `/ready` and `Connection: close`, before it refuses connections. */
  @WholeNumber('DRAIN_NOTICE_SECONDS', 0, 300, 1)
  drainNoticeSeconds: number;

  /** What uploaded county files may take in the database together, until they are loaded or a day has passed. */
  @WholeNumber('UPLOADS_MAX_MB', 1, 1_000_000, 16_384)
  uploadsMaxMb: number;

  @Variable('LOG_LEVEL', { unset: 'info' })
  @IsIn(logLevels)
  logLevel: (typeof logLevels)[number];

  /** Counties that were fetched from their own service are loaded again when their data is older. Default: never. */
  @WholeNumber('REFRESH_OLDER_THAN_DAYS', 1, 10_000)
  refreshOlderThanDays?: number;

  /** Default: no metrics are served. */
  @WholeNumber('METRICS_PORT', 0, 65535)
  metricsPort?: number;

  /** Where metrics are served. Default: to this machine only. */
  @Variable('METRICS_HOST', { unset: '127.0.0.1' })
  metricsHost: string;
}

/** Missing or wrong settings. `faults` has a line for each, naming the variable. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
  }
}

/** The environment variables of all settings. */
export const settingNames = [...variables.values()].map(({ name }) => name);

type Environment = Record<string, string | undefined>;

/**
 * Reads and checks the settings.
 * @param defaults values for unset variables
 * @throws ConfigError naming all bad variables
 */
export function readConfig(env: Environment = process.env, defaults: Environment = {}): Config {
  // An empty variable counts as unset: shells and compose files write `FOO=` for none.
  const textOf = (name: string): string | undefined => env[name]?.trim() || defaults[name];
  const config = new Config();
  for (const [key, { name, read, unset }] of variables) {
    const text = textOf(name) ?? unset;
    if (text !== undefined) Object.assign(config, { [key]: read(text) });
  }
  config.baseUrl ??= `http://localhost:${config.port}`;

  // The default BASE_URL contains PORT, so if that is bad only PORT is named.
  const invalid = validateSync(config).filter(({ property }) => property !== 'baseUrl' || textOf('BASE_URL'));
  const faults = invalid.map((fault) => {
    const { name, isSecret } = variables.get(fault.property)!;
    const rules = Object.values(fault.constraints ?? {}).map((rule) =>
      rule.replace(`each value in ${fault.property} `, '').replace(`${fault.property} `, ''),
    );
    return `${name} ${rules.join(' and ')}${isSecret ? '' : ` (got ${JSON.stringify(env[name] ?? null)})`}`;
  });
  if (config.databaseDirectUrl && !config.databaseUrl) faults.push('DATABASE_URL is required with DATABASE_DIRECT_URL');
  if (config.databaseUrl && !config.authSecret) {
    faults.push(
      'AUTH_SECRET is required with DATABASE_URL: at least 32 characters, the same on every server (try: openssl rand -base64 32)',
    );
  }
  if (config.nodeEnv === 'production' && !config.smtpUrl && !config.mailToOutbox) {
    faults.push(
      'SMTP_URL is required in production; or MAIL_TO_OUTBOX=yes, which writes mails to DATA_DIR/outbox and their links to the log',
    );
  }
  // With MAIL_TO_OUTBOX, production is only tried, and the start warns.
  if (config.nodeEnv === 'production' && !config.mailToOutbox) faults.push(...publicAddressFaults(textOf('BASE_URL')));
  if (faults.length > 0) throw new ConfigError(faults);
  // In canonical form: code decides by its first letters whether cookies are secure and HSTS is on.
  config.baseUrl = new URL(config.baseUrl).origin;
  return config;
}

/** What a server can start with, but hardly should, a sentence each. */
export function warningsOf({ nodeEnv, baseUrl, stripeSecretKey, stripeWebhookSecrets }: Config): string[] {
  const warnings: string[] = [];
  if (nodeEnv === 'production' && !baseUrl.startsWith('https:')) {
    warnings.push(`set BASE_URL to the public https address: callers are told to send their tokens to ${baseUrl}`);
  }
  if (stripeSecretKey && stripeWebhookSecrets.length === 0) {
    warnings.push('set STRIPE_WEBHOOK_SECRET: without it payments are noticed a minute later. `stripe setup` prints the webhook endpoint');
  }
  return warnings;
}

/** NaN for other text, so that validation names it. */
function wholeNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function yesOrNo(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  return text as unknown as boolean;
}
