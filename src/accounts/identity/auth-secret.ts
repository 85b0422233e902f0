import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../core/config.js';

/**
 * The secrets that sign cookies, links and cursors. The first signs; all of them verify. The first is the configured one, or one that is
 * generated once and stored in `dataDir`.
 */
export function authSecretsOf(config: Pick<Config, 'authSecret' | 'authSecretPrevious' | 'dataDir'>): [string, ...string[]] {
  const current = config.authSecret ?? readOrCreateSecret(config.dataDir);
  return config.authSecretPrevious ? [current, config.authSecretPrevious] : [current];
}

function readOrCreateSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'auth-secret');
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
  try {
    // Only one process can create the link, and it names a complete file, so two processes that start together read the same secret.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}
