import type { DataSource, EntityManager } from 'typeorm';
import { AdminActionEntity } from './admin-action.entity.js';
import { type AdminActionInput, recordAction } from './record-action.js';

export interface ActionFilter {
  /** Null: all. */
  targets: string[] | null;
  /** Text in the action, its actor, target or reason; empty: any. */
  search: string;
  /** Accounts whose actions, and actions on them, the text also finds. */
  people: string[];
}

/** The log of operators' actions. Each room writes its own actions, in the transaction that does them. */
export class OperatorLog {
  constructor(private readonly dataSource: DataSource) {}

  write(action: AdminActionInput, manager: EntityManager = this.dataSource.manager): Promise<void> {
    return recordAction(manager, action);
  }

  /** Newest first. */
  list(filter: ActionFilter, limit: number, offset: number): Promise<AdminActionEntity[]> {
    return this.matching(filter).orderBy('a.id', 'DESC').limit(limit).offset(offset).getMany();
  }

  count(filter: ActionFilter): Promise<number> {
    return this.matching(filter).getCount();
  }

  private matching({ targets, search, people }: ActionFilter) {
    const text = `(position(lower(:search) in lower(concat_ws(' ', a.action, a.actor, a.target, a.reason))) > 0 or a.actor = any(:people) or a.target = any(:people))`;
    return (
      this.dataSource
        .getRepository(AdminActionEntity)
        .createQueryBuilder('a')
        // Sent as one array parameter: an account may have thousands of tokens.
        .where(targets === null ? 'true' : 'a.target = any(:targets)', { targets })
        .andWhere(search === '' ? 'true' : text, { search, people })
    );
  }
}
