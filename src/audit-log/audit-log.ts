import type { DataSource, EntityManager } from 'typeorm';
import { AdminActionEntity } from './admin-action.entity.js';
import { type AdminActionInput, recordAction } from './record-action.js';

/** What operators did. Each room writes its own actions here, in the transaction that does them. */
export class AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  write(action: AdminActionInput, manager: EntityManager = this.dataSource.manager): Promise<void> {
    return recordAction(manager, action);
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
