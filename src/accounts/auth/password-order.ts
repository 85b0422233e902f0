import type { DataSource } from 'typeorm';

const lockOf = (id: string): string => `hashtextextended('password of ' || ${id}, 0)`;

/**
 * Keeps sign-ins and new passwords of an account apart, at all servers. To hash takes so long that a new password could overtake a
 * sign-in that has read the old one: its session would begin after all sessions were ended. So it begins before, or not at all.
 */
export class PasswordOrder {
  constructor(private readonly dataSource: DataSource) {}

  /** Sign-ins do not wait for each other. */
  signIn<T>(email: string, work: () => Promise<T>): Promise<T> {
    const lock = `select pg_advisory_xact_lock_shared(${lockOf('id')}) from auth."user" where email = $1`;
    return this.holding(lock, email.toLowerCase(), work);
  }

  /** @param accountId null: nobody's password will change */
  change<T>(accountId: string | null, work: () => Promise<T>): Promise<T> {
    return accountId === null ? work() : this.holding(`select pg_advisory_xact_lock(${lockOf('$1')})`, accountId, work);
  }

  private holding<T>(lock: string, whose: string, work: () => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(lock, [whose]);
      return work();
    });
  }
}
