import { type Logger, pino } from 'pino';
import type { Config } from './config.js';

/** JSON lines on standard error, since standard output is for what a command prints. Credentials are redacted. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    {
      level: config.logLevel,
      serializers: { error: pino.stdSerializers.err },
      redact: {
        paths: [
          'authorization',
          'cookie',
          'password',
          'token',
          '*.authorization',
          '*.cookie',
          '*["set-cookie"]',
          '*["stripe-signature"]',
          '*.password',
          '*.token',
        ],
        censor: '[redacted]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
