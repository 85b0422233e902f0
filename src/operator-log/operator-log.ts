import { Any, type DataSource, type EntityManager } from 'typeorm';
import { AdminActionEntity } from './admin-action.entity.js';
import { type AdminActionInput, recordAction } from './record-action.js';

/** The log of operators' actions. Each room writes its own actions, in the transaction that does them. */
export class OperatorLog {
  constructor(private readonly dataSource: DataSource) {}

  write(action: AdminActionInput, manager: EntityManager = this.dataSource.manager): Promise<void> {
    return recordAction(manager, action);
  }

  /** The actions on these targets (null: all), newest first. */
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

// Sent as one array parameter: an account may have thousands of tokens.
const within = (targets: string[] | null) => (targets === null ? {} : { target: Any(targets) });
