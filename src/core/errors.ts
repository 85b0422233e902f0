/** Every error code that a caller can get, with its HTTP status. */
export const statusOf = {
  invalid_request: 400,
  bad_signature: 400,
  missing: 401,
  invalid: 401,
  expired: 401,
  unauthenticated: 401,
  exhausted: 402,
  subscription_required: 402,
  revoked: 403,
  forbidden: 403,
  forbidden_origin: 403,
  email_unverified: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  trial_active: 409,
  conflict: 409,
  replay_expired: 410,
  payload_too_large: 413,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  not_configured: 501,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** An invalid parameter: its name and the rule that its value breaks. */
export interface ParameterFault {
  parameter: string;
  message: string;
}

interface AppErrorOptions {
  cause?: unknown;
  details?: ParameterFault[];
  /** Seconds after which a retry makes sense. Becomes `Retry-After`. */
  retryAfterSeconds?: number;
}

/** The caller's fault, or a temporary state that the caller should know about. The message is public; the cause is for the log. */
export class AppError extends Error {
  readonly details: ParameterFault[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** The caller's fault, whatever it is about: a request, a file, an option. */
export const refusal = (message: string, options?: AppErrorOptions): AppError => new AppError('invalid_request', message, options);

/** Maps anything thrown to the error that the caller sees. Only an AppError's message is passed on. */
export function toPublicError(thrown: unknown): AppError {
  const error = findAppError(thrown);
  if (error) return error;
  if (isUnreachableDatabase(thrown)) {
    return new AppError('unavailable', 'The service is briefly unavailable. Try again in a moment.', { retryAfterSeconds: 2 });
  }
  if (isUnstorable(thrown)) {
    return new AppError('invalid_request', 'Text must not contain a NUL character, or JSON that is nested so deeply.');
  }
  const refusal = refusalOfDatabase(thrown);
  if (refusal) return new AppError('forbidden', refusal);
  return new AppError('internal', 'Something went wrong on our side. Nothing was charged.');
}

/** An error's message in one line. A failed connection to a host with several addresses has no message but one error per address. */
export function textOf(error: Error & { errors?: Error[]; code?: unknown }): string {
  return error.message || (error.errors ?? []).map(({ message }) => message).join(', ') || String(error.code ?? error.name);
}

/** GraphQL wraps what a resolver throws, possibly twice, so this searches the chain of original errors. */
function findAppError(thrown: unknown): AppError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth++) {
    if (error instanceof AppError) return error;
    error = (error as { originalError?: unknown }).originalError;
  }
  return undefined;
}

// SQLSTATE classes: 08 connection, 53 resources, 57P shutdown, 55P03 lock timeout, 57014 statement timeout, 40P01 deadlock,
// 25006 read-only standby.
const passingSqlState = /^(08...|53...|57P..|55P03|57014|40P01|25006)$/;
const passingSystemCode = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENOTFOUND)$/;
// `pg` and TypeORM (in two wordings) throw the last two for a statement after the one that broke the connection, such as a rollback.
const passingMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed)|.*query runner (was )?already released)/i;

/** Whether the database is unreachable or overloaded, so that a retry makes sense. */
export function isUnreachableDatabase(thrown: unknown): boolean {
  for (const { code, message } of chainOf(thrown)) {
    if (typeof code === 'string' && (passingSqlState.test(code) || passingSystemCode.test(code))) return true;
    if (passingMessage.test(message)) return true;
  }
  return false;
}

/** Postgres' codes of an error and its causes. */
export const sqlStatesOf = (thrown: unknown): string[] =>
  [...chainOf(thrown)].flatMap(({ code }) => (typeof code === 'string' ? [code] : []));

/** Postgres refuses NUL in text, and JSON deeper than its stack. Applies to values that no rule of an argument has refused before. */
const isUnstorable = (thrown: unknown): boolean => sqlStatesOf(thrown).some((code) => code === '22021' || code === '54001');

/** Refusals by triggers: the account was closed, or lost the operator's role, while the request was under way. */
const refusals: Record<string, string> = {
  'the account is closed': 'This account is closed.', // refuse_closed_account
  'no operator': 'This is for operators only.', // refuse_former_operator
};

function refusalOfDatabase(thrown: unknown): string | undefined {
  const refused = [...chainOf(thrown)].find(({ code, message }) => code === '23001' && message in refusals);
  return refused && refusals[refused.message];
}

/** The error and its causes: GraphQL, TypeORM and better-auth wrap errors. */
function* chainOf(thrown: unknown): Generator<Error & { code?: unknown }> {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth++) {
    yield error;
    const { originalError, driverError, cause } = error as { originalError?: unknown; driverError?: unknown; cause?: unknown };
    error = originalError ?? driverError ?? cause;
  }
}
