import 'reflect-metadata';
import { resolve } from 'node:path';
import { IsBoolean, IsIn, IsOptional, IsString, IsUrl, Matches, MinLength, ValidateBy, validateSync } from 'class-validator';
import { IsDatabase, IsWholeNumber, isMailServer, isProxy, publicAddressFaults } from './setting-rules.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The service's settings. Only this file reads the environment. */
export class Config {
  @IsIn(['development', 'test', 'production'])
  nodeEnv: 'development' | 'test' | 'production';

  @IsWholeNumber(0, 65535)
  port: number;

  /** Default: all interfaces, IPv4 and IPv6. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  host?: string;

  /** The public URL of the service, without a trailing slash. Links, cookies and passkeys depend on it. */
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

  @IsOptional()
  @IsDatabase()
  databaseUrl?: string;

  /** For sessions, where `databaseUrl` leads through a pooler. Default: `databaseUrl`. */
  @IsOptional()
  @IsDatabase()
  databaseDirectUrl?: string;

  /** The most connections of a server process, without those of loads. Default: see `database/connection-shares.ts`. */
  @IsOptional()
  @IsWholeNumber(24, 1_000)
  databaseConnections?: number;

  @IsString()
  @MinLength(1)
  dataDir: string;

  /** Required with DATABASE_URL. With the embedded database it is generated and stored in `dataDir`. */
  @IsOptional()
  @MinLength(32)
  authSecret?: string;

  /** The secret before the last rotation. Cookies signed with it are still valid. */
  @IsOptional()
  @MinLength(32)
  authSecretPrevious?: string;

  @IsBoolean({ message: 'must be yes or no' })
  requireVerifiedEmail: boolean;

  @IsWholeNumber(1, 1_000_000)
  signUpsPerMinute: number;

  /** Trials per account within 30 days, one after the other. */
  @IsWholeNumber(1, 1_000_000)
  trialsPerAccount: number;

  /** Trials per address within a day, over all accounts. */
  @IsWholeNumber(1, 1_000_000)
  trialsPerAddress: number;

  /** Default: mails are written to `dataDir`/outbox. */
  @IsOptional()
  @ValidateBy(
    { name: 'isMailServer', validator: { validate: isMailServer } },
    { message: 'must be an smtp:// or smtps:// address, in whose password / is %2F and # is %23' },
  )
  smtpUrl?: string;

  /** Allows production without SMTP_URL: mails go to `dataDir`/outbox and their links to the log. */
  @IsBoolean({ message: 'must be yes or no' })
  mailToOutbox: boolean;

  @IsOptional()
  @Matches(/^[rs]k_/, { message: "must be one of Stripe's secret keys (sk_… or rk_…)" })
  stripeSecretKey?: string;

  /** Several during a rotation. Any of them may sign. */
  @Matches(/^\S{8,}$/, { each: true, message: 'must be signing secrets of 8 characters or more, comma-separated' })
  stripeWebhookSecrets: string[];

  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  stripeApiUrl?: string;

  /** Whether Stripe calculates taxes and adds them to invoices. */
  @IsBoolean({ message: 'must be yes or no' })
  stripeAutomaticTax: boolean;

  /** What an account may owe in overage before it is billed within the period, in whole dollars; unset: any amount. */
  @IsOptional()
  @IsWholeNumber(1, 1_000_000)
  overageBillThresholdUsd?: number;

  /** Addresses or networks of our reverse proxies, in the form of Express' `trust proxy`. Empty: no proxy. */
  @ValidateBy(
    { name: 'isProxy', validator: { validate: isProxy } },
    { each: true, message: 'must be loopback, linklocal, uniquelocal, or addresses and networks (10.0.0.0/8), comma-separated' },
  )
  trustProxy: string[];

  /** Servers of county data that may be called although their address is private. Empty: public addresses only. */
  @Matches(/^([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/, { each: true, message: 'must be hosts with ports (gis.example:6080), comma-separated' })
  sourcePrivateHosts: string[];

  /** The number of server processes, which share the port. */
  @IsWholeNumber(1, 64)
  workers: number;

  /** How long a stopping server announces the stop, by `/ready` and `Connection: close`, before it refuses connections. */
  @IsWholeNumber(0, 300)
  drainNoticeSeconds: number;

  /** What uploaded county files may take in the database together, until they are loaded or a day has passed. */
  @IsWholeNumber(1, 1_000_000)
  uploadsMaxMb: number;

  @IsIn(logLevels)
  logLevel: (typeof logLevels)[number];

  /** Counties that were fetched from their own service are loaded again when their data is older. Default: never. */
  @IsOptional()
  @IsWholeNumber(1, 10_000)
  refreshOlderThanDays?: number;

  /** Default: no metrics are served. */
  @IsOptional()
  @IsWholeNumber(0, 65535)
  metricsPort?: number;

  /** Where metrics are served. Default: to this machine only. */
  @IsString()
  metricsHost: string;
}

/** Missing or wrong settings. `faults` has a line for each, naming the variable. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
  }
}

const variableOf: Record<keyof Config, string> = {
  nodeEnv: 'NODE_ENV',
  port: 'PORT',
  host: 'HOST',
  baseUrl: 'BASE_URL',
  databaseUrl: 'DATABASE_URL',
  databaseDirectUrl: 'DATABASE_DIRECT_URL',
  databaseConnections: 'DATABASE_CONNECTIONS',
  dataDir: 'DATA_DIR',
  authSecret: 'AUTH_SECRET',
  authSecretPrevious: 'AUTH_SECRET_PREVIOUS',
  requireVerifiedEmail: 'REQUIRE_VERIFIED_EMAIL',
  signUpsPerMinute: 'SIGN_UPS_PER_MINUTE',
  trialsPerAccount: 'TRIALS_PER_ACCOUNT',
  trialsPerAddress: 'TRIALS_PER_ADDRESS',
  smtpUrl: 'SMTP_URL',
  mailToOutbox: 'MAIL_TO_OUTBOX',
  stripeSecretKey: 'STRIPE_SECRET_KEY',
  stripeWebhookSecrets: 'STRIPE_WEBHOOK_SECRET',
  stripeApiUrl: 'STRIPE_API_URL',
  stripeAutomaticTax: 'STRIPE_AUTOMATIC_TAX',
  overageBillThresholdUsd: 'OVERAGE_BILL_THRESHOLD_USD',
  trustProxy: 'TRUST_PROXY',
  sourcePrivateHosts: 'SOURCE_PRIVATE_HOSTS',
  workers: 'WORKERS',
  drainNoticeSeconds: 'DRAIN_NOTICE_SECONDS',
  uploadsMaxMb: 'UPLOADS_MAX_MB',
  logLevel: 'LOG_LEVEL',
  refreshOlderThanDays: 'REFRESH_OLDER_THAN_DAYS',
  metricsPort: 'METRICS_PORT',
  metricsHost: 'METRICS_HOST',
};

const secret = new Set<keyof Config>([
  'databaseUrl',
  'databaseDirectUrl',
  'authSecret',
  'authSecretPrevious',
  'smtpUrl',
  'stripeSecretKey',
  'stripeWebhookSecrets',
]);

type Environment = Record<string, string | undefined>;

/**
 * Reads and checks the settings.
 * @param defaults values for unset variables
 * @throws ConfigError naming all bad variables
 */
export function readConfig(env: Environment = process.env, defaults: Environment = {}): Config {
  // An empty variable counts as unset: shells and compose files write `FOO=` for none.
  const read = (name: string): string | undefined => env[name]?.trim() || defaults[name];
  const list = (name: string): string[] =>
    (read(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);

  const config = new Config();
  config.nodeEnv = (read('NODE_ENV') ?? 'development') as Config['nodeEnv'];
  config.port = wholeNumber(read('PORT')) ?? 3000;
  config.host = read('HOST');
  config.baseUrl = (read('BASE_URL') ?? `http://localhost:${config.port}`).replace(/\/+$/, '');
  config.databaseUrl = read('DATABASE_URL');
  config.databaseDirectUrl = read('DATABASE_DIRECT_URL');
  config.databaseConnections = wholeNumber(read('DATABASE_CONNECTIONS'));
  config.dataDir = resolve(read('DATA_DIR') ?? './data');
  config.authSecret = read('AUTH_SECRET');
  config.authSecretPrevious = read('AUTH_SECRET_PREVIOUS');
  config.requireVerifiedEmail = yesOrNo(read('REQUIRE_VERIFIED_EMAIL')) ?? false;
  config.signUpsPerMinute = wholeNumber(read('SIGN_UPS_PER_MINUTE')) ?? 60;
  config.trialsPerAccount = wholeNumber(read('TRIALS_PER_ACCOUNT')) ?? 5;
  config.trialsPerAddress = wholeNumber(read('TRIALS_PER_ADDRESS')) ?? 30;
  config.smtpUrl = read('SMTP_URL');
  config.mailToOutbox = yesOrNo(read('MAIL_TO_OUTBOX')) ?? false;
  config.stripeSecretKey = read('STRIPE_SECRET_KEY');
  config.stripeWebhookSecrets = list('STRIPE_WEBHOOK_SECRET');
  config.stripeApiUrl = read('STRIPE_API_URL');
  config.stripeAutomaticTax = yesOrNo(read('STRIPE_AUTOMATIC_TAX')) ?? false;
  config.overageBillThresholdUsd = wholeNumber(read('OVERAGE_BILL_THRESHOLD_USD'));
  config.trustProxy = list('TRUST_PROXY');
  config.sourcePrivateHosts = list('SOURCE_PRIVATE_HOSTS').map((host) => host.toLowerCase());
  config.workers = wholeNumber(read('WORKERS')) ?? 1;
  config.drainNoticeSeconds = wholeNumber(read('DRAIN_NOTICE_SECONDS')) ?? 1;
  config.uploadsMaxMb = wholeNumber(read('UPLOADS_MAX_MB')) ?? 16_384;
  config.logLevel = (read('LOG_LEVEL') ?? 'info') as Config['logLevel'];
  config.refreshOlderThanDays = wholeNumber(read('REFRESH_OLDER_THAN_DAYS'));
  config.metricsPort = wholeNumber(read('METRICS_PORT'));
  config.metricsHost = read('METRICS_HOST') ?? '127.0.0.1';

  // The default BASE_URL contains PORT, so if that is bad only PORT is named.
  const invalid = validateSync(config).filter(({ property }) => property !== 'baseUrl' || read('BASE_URL'));
  const faults = invalid.map((fault) => {
    const key = fault.property as keyof Config;
    const variable = variableOf[key];
    const rules = Object.values(fault.constraints ?? {}).map((rule) => rule.replace(`${key} `, '').replace(`each value in ${key} `, ''));
    const got = secret.has(key) ? '' : ` (got ${JSON.stringify(env[variable] ?? null)})`;
    return `${variable} ${rules.join(' and ')}${got}`;
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
  if (config.nodeEnv === 'production' && !config.mailToOutbox) faults.push(...publicAddressFaults(read('BASE_URL')));
  if (faults.length > 0) throw new ConfigError(faults);
  // In canonical form: code decides by its first letters whether cookies are secure and HSTS is on.
  config.baseUrl = new URL(config.baseUrl).origin;
  return config;
}

/** NaN for other text, so that validation names it. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  return text as unknown as boolean;
}
