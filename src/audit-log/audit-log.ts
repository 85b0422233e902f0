import type { DataSource, EntityManager } from 'typeorm';
import { AdminActionEntity } from './admin-action.entity.js';

/** One action to write down. `before` and `after` hold what changed, never a password or a token. */
export interface AdminActionInput {
  actor: string;
  action: string;
  target: string;
  reason: string | null;
  before?: object | null;
  after?: object | null;
}

/** What operators did. Rooms write their own actions here, inside the transaction that does them. */
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
