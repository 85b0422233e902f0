import { type DataSource, In } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { AdminAction } from './admin-action.js';

/** The audit log with the e-mail addresses of the accounts in it. */
export class AdminActionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first; of one target, or of all. */
  async list(target: string | null, limit: number, offset: number): Promise<AdminAction[]> {
    const actions = await this.audit.list(target, limit, offset);
    const accounts = await this.dataSource
      .getRepository(UserEntity)
      .findBy({ id: In(actions.flatMap(({ actor, target }) => [actor, target])) });
    const emails = new Map(accounts.map(({ id, email }) => [id, email]));
    return actions.map((action) => ({
      ...action,
      actorEmail: emails.get(action.actor) ?? null,
      targetEmail: emails.get(action.target) ?? null,
    }));
  }
}
