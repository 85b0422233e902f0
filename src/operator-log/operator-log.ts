import { Any, type DataSource, type EntityManager } from 'typeorm';
import { AdminActionEntity } from './admin-action.entity.js';
import { type AdminActionInput, recordAction } from './record-action.js';

/** What operators did. Each room writes its own actions here, in the transaction that does them. */
export class AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  write(action: AdminActionInput, manager: EntityManager = this.dataSource.manager): Promise<void> {
    return recordAction(manager, action);
  }

  /** Newest first; of some targets, or with null of all. */
  list(targets: string[] | null, limit: number, offset: number): Promise<AdminActionEntity[]> {
    return this.dataSource.getRepository(AdminActionEntity).find({
      where: within(targets),
      order: { id: 'DESC' },
      take: limit,
      skip: offset,
    });
  }

  count(targets: string[] | null): Promise<number> {
    return this.dataSource.getRepository(AdminActionEntity).countBy(within(targets));
  }
}

// One parameter, however many they are: an account may have thousands of tokens.
const within = (targets: string[] | null) => (targets === null ? {} : { target: Any(targets) });
