import 'reflect-metadata';
import { resolve } from 'node:path';
import { IsBoolean, IsEmail, IsIn, IsOptional, IsUrl, Matches, MinLength, validateSync } from 'class-validator';
import { allOf } from './check-body.js';
import { IsDatabase, IsMailServer, IsProxies, IsTiles, IsWholeNumber, publicAddressFaults, sourceHeaderPattern } from './setting-rules.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

interface Variable {
  name: string;
  read(text: string): unknown;
  /** The value without a setting. */
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

const HttpsAddress = (name: string): PropertyDecorator => allOf(Variable(name), IsUrl({ require_protocol: true, protocols: ['https'] }));

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** The service's settings. Only this file reads the environment. `npm run schema` writes the comments into OPERATIONS.md. */
export class Config {
  /** In `production` there is no sample county and no GraphQL introspection. */
  @Variable('NODE_ENV', { unset: 'development' })
  @IsIn(['development', 'test', 'production'])
  nodeEnv: 'development' | 'test' | 'production';

  /** Where the service listens. */
  @WholeNumber('PORT', 0, 65535, 3000)
  port: number;

  /** The address it listens at. Default: all interfaces, IPv4 and IPv6. */
  @Variable('HOST')
  host?: string;

  /** Public https address without a path. Required in production. Default: `http://localhost:PORT`. */
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

  /** Postgres 14 or newer, UTF-8; TLS with `?sslmode=verify-full`; several hosts as `host1,host2`. Default: embedded Postgres. */
  @Variable('DATABASE_URL', { isSecret: true })
  @IsDatabase
  databaseUrl?: string;

  /** The database without a pooler; required with PgBouncer in transaction mode. Default: `DATABASE_URL`. */
  @Variable('DATABASE_DIRECT_URL', { isSecret: true })
  @IsDatabase
  databaseDirectUrl?: string;

  /** Connections per server process, without those of loads; at least 24. Default: 44. */
  @WholeNumber('DATABASE_CONNECTIONS', 24, 1_000)
  databaseConnections?: number;

  /** See [below](#data_dir). */
  @Variable('DATA_DIR', { read: (text) => resolve(text), unset: './data' })
  dataDir: string;

  /** Signs cookies, cursors and checkpoints. Required with `DATABASE_URL`; otherwise generated in `DATA_DIR`. */
  @Variable('AUTH_SECRET', { isSecret: true })
  @MinLength(32)
  authSecret?: string;

  /** Still accepted during a rotation; remove it after a week. If the old secret is lost, run `checkpoint new-origin` before a server starts. */
  @Variable('AUTH_SECRET_PREVIOUS', { isSecret: true })
  @MinLength(32)
  authSecretPrevious?: string;

  /** On: sign-in and trials require a verified address, and sign-up does not reveal taken ones. */
  @YesOrNo('REQUIRE_VERIFIED_EMAIL')
  requireVerifiedEmail: boolean;

  /** How many trials' records a person gets in 30 days. Operators can lift it for an account. */
  @WholeNumber('TRIALS_PER_ACCOUNT', 1, 1_000_000, 5)
  trialsPerAccount: number;

  /** How many trials' records a network address gets a day; the server's own machine has no limit. */
  @WholeNumber('TRIALS_PER_ADDRESS', 1, 1_000_000, 30)
  trialsPerAddress: number;

  /** Required in production. Without it, emails are kept for a week (command `mails`), and their links are logged. */
  @Variable('SMTP_URL', { isSecret: true })
  @IsMailServer
  smtpUrl?: string;

  /** On: production starts without `SMTP_URL` and `BASE_URL`, to try it out. */
  @YesOrNo('MAIL_TO_OUTBOX')
  mailToOutbox: boolean;

  /** Without it, there are no paid plans. */
  @Variable('STRIPE_SECRET_KEY', { isSecret: true })
  @Matches(/^[rs]k_/, { message: "must be one of Stripe's secret keys (sk_… or rk_…)" })
  stripeSecretKey?: string;

  /** Two during a rotation, comma-separated. Without it, payments are noticed up to a minute later. */
  @Variable('STRIPE_WEBHOOK_SECRET', { read: listOf, unset: '', isSecret: true })
  @Matches(/^\S{8,}$/, { each: true, message: 'must be signing secrets of 8 characters or more, comma-separated' })
  stripeWebhookSecrets: string[];

  /** The stand-in of `npm run stripe:stand-in`, to try the paid plan. */
  @Variable('STRIPE_API_URL')
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  stripeApiUrl?: string;

  /** The overage cap that a checkout suggests, and that a customer's first checkout sets if it names none. Default: none. */
  @WholeNumber('DEFAULT_OVERAGE_CAP_USD', 0, 1_000_000)
  defaultOverageCapUsd?: number;

  /** Where customers ask for help: below every page. */
  @Variable('SUPPORT_EMAIL')
  @IsEmail()
  supportEmail?: string;

  /** The terms of use: linked below every page. */
  @HttpsAddress('TERMS_URL')
  termsUrl?: string;

  /** The privacy notice: linked below every page. */
  @HttpsAddress('PRIVACY_URL')
  privacyUrl?: string;

  /** The page that says whether the service works, on a server of its own: linked below every page. */
  @HttpsAddress('STATUS_URL')
  statusUrl?: string;

  /**
   * Street map below the parcels: raster tiles of 256 pixels that allow CORS, such as `https://tiles.example/{z}/{x}/{y}.png`. Browsers of
   * visitors ask for them there. Default: none.
   */
  @Variable('BASEMAP_URL')
  @IsTiles
  basemapUrl?: string;

  /** Whose map it is, as text or links in HTML, such as `© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>`. */
  @Variable('BASEMAP_ATTRIBUTION')
  basemapAttribution?: string;

  /** On: Stripe adds taxes; set up Stripe Tax first. */
  @YesOrNo('STRIPE_AUTOMATIC_TAX')
  stripeAutomaticTax: boolean;

  /** Bills an account before its period ends once its unbilled overage exceeds this. Default: never. */
  @WholeNumber('OVERAGE_BILL_THRESHOLD_USD', 1, 1_000_000)
  overageBillThresholdUsd?: number;

  /** Addresses or networks of the proxies in front, comma-separated. Without it, all callers share one address's limits. */
  @Variable('TRUST_PROXY', { read: listOf, unset: '' })
  @IsProxies
  trustProxy: string[];

  /** `host:port` of county data servers in your own network, comma-separated; others are only reached at public addresses. */
  @Variable('SOURCE_PRIVATE_HOSTS', { read: (text) => listOf(text.toLowerCase()), unset: '' })
  @Matches(/^([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/, { each: true, message: 'must be hosts with ports (gis.example:6080), comma-separated' })
  sourcePrivateHosts: string[];

  /**
   * Secrets for county data servers, such as `gis.example:443 X-Esri-Authorization: Bearer TOKEN`, comma-separated. Each is sent to its own
   * server only, over https.
   */
  @Variable('SOURCE_HEADERS', { read: listOf, unset: '', isSecret: true })
  @Matches(sourceHeaderPattern, { each: true, message: 'must be `host:port Header: value`, comma-separated' })
  sourceHeaders: string[];

  /** Server processes, which share the port. A dead one is replaced. */
  @WholeNumber('WORKERS', 1, 64, 1)
  workers: number;

  /** How long `/ready` is 503 before a stopping server closes its port. */
  @WholeNumber('DRAIN_NOTICE_SECONDS', 0, 300, 1)
  drainNoticeSeconds: number;

  /** Space for files uploaded at `/admin`, in the database; a single file may have 4 GB. */
  @WholeNumber('UPLOADS_MAX_MB', 1, 1_000_000, 16_384)
  uploadsMaxMb: number;

  /** `fatal` `error` `warn` `info` `debug` `trace` `silent` */
  @Variable('LOG_LEVEL', { unset: 'info' })
  @IsIn(logLevels)
  logLevel: (typeof logLevels)[number];

  /** Runs `refresh` every night, with this as `--older-than`. Default: never. */
  @WholeNumber('REFRESH_OLDER_THAN_DAYS', 1, 10_000)
  refreshOlderThanDays?: number;

  /** Serves `/metrics` for Prometheus. Default: none. */
  @WholeNumber('METRICS_PORT', 0, 65535)
  metricsPort?: number;

  /** Its address; do not expose it to customers. */
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

/** The environment variables of all settings, with what each is if it is not set. */
export const settingDefaults = new Map([...variables.values()].map(({ name, unset }) => [name, unset]));

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

/** Settings that a server can start with, but hardly should, a sentence each. */
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
