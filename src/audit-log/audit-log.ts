import type { DataSource, EntityManager } from 'typeorm';
import type { Reason } from '../reason.js';
import { AdminActionEntity } from './admin-action.entity.js';

/** An action to be recorded. `before` and `after` hold what changed, never a password or a token. */
export interface AdminActionInput {
  actor: string;
  action: string;
  target: string;
  reason: Reason | null;
  before?: object | null;
  after?: object | null;
}

/** What operators did. Each room writes its own actions here, in the transaction that does them. */
export class AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  async write(action: AdminActionInput, manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.insert(AdminActionEntity, action);
  }

  /** Newest first; of one target, or of all. */
  list(target: string | null, limit: number, offset: number): Promise<AdminActionEntity[]> {
    return this.dataSource.getRepository(AdminActionEntity).find({
      where: target === null ? {} : { target },
      order: { id: 'DESC' },
      take: limit,
      skip: offset,
    });
  }
}
