import type { DataSource } from 'typeorm';

const lockOf = (id: string): string => `hashtextextended('password of ' || ${id}, 0)`;

/**
 * A lock per account between sign-ins (shared) and password changes (exclusive), across all servers. Hashing is slow: without the lock, a
 * password change could end all sessions while a sign-in with the old password is still hashing, and its session would begin afterwards.
 */
export class PasswordLock {
  constructor(private readonly dataSource: DataSource) {}

  /** For a sign-in by password. Sign-ins do not wait for each other. */
  sharedByEmail<T>(email: string, work: () => Promise<T>): Promise<T> {
    const lock = `select pg_advisory_xact_lock_shared(${lockOf('id')}) from auth."user" where email = $1`;
    return this.locked(lock, email.toLowerCase(), work);
  }

  /** For every other operation that adds access: a sign-in by passkey, a new passkey, a link to another address. */
  shared<T>(accountId: string | null, work: () => Promise<T>): Promise<T> {
    return accountId === null ? work() : this.locked(`select pg_advisory_xact_lock_shared(${lockOf('$1')})`, accountId, work);
  }

  /** For a password change. @param accountId null if no password will change */
  exclusive<T>(accountId: string | null, work: () => Promise<T>): Promise<T> {
    return accountId === null ? work() : this.locked(`select pg_advisory_xact_lock(${lockOf('$1')})`, accountId, work);
  }

  /** Holds one connection while `work` uses others. Call it inside the `PasswordHashQueue`, so that few are held at once. */
  private locked<T>(lock: string, parameter: string, work: () => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(lock, [parameter]);
      return work();
    });
  }
}
