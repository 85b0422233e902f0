import type { DataSource, EntityManager, SelectQueryBuilder } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { UserEntity } from '../accounts/user.entity.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import { AppError } from '../errors.js';
import { selectTokens } from '../tokens/token.store.js';
import { ApiTokenEntity } from '../usage/api-token.entity.js';
import { entryColumns } from '../usage/ledger.store.js';
import { type InCents, inUsd } from '../usage/money.js';
import type { AdjustBalanceArgs, AllLedgerArgs, AllTokensArgs, RevokeAnyTokenArgs } from './admin-customer.args.js';
import type { AdminLedgerEntry, AdminLedgerPage, AdminToken, AdminTokenPage } from './admin-customer.js';

/** Tokens and entries of all accounts, and what operators change of them. */
export class AdminCustomerService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Tokens whose name, id or account's e-mail address contains the text. */
  async tokens({ search, accountId, limit, offset }: AllTokensArgs): Promise<AdminTokenPage> {
    const query = selectAdminTokens(this.dataSource.manager);
    if (search) query.andWhere(`position(lower(:search) in lower(concat_ws(' ', t.name, t.id, u.email))) > 0`, { search });
    if (accountId) query.andWhere('t.accountId = :accountId', { accountId });
    const [tokens, total] = await Promise.all([
      query.clone().orderBy({ 't.issuedAt': 'DESC', 't.id': 'ASC' }).limit(limit).offset(offset).getRawMany<AdminToken>(),
      query.getCount(),
    ]);
    return { tokens, total };
  }

  /** @throws AppError not_found */
  async revokeToken(actor: string, { id, reason }: RevokeAnyTokenArgs): Promise<AdminToken> {
    return this.dataSource.transaction(async (manager) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const token = isUuid(id) ? await manager.findOne(ApiTokenEntity, { where: { id }, lock }) : null;
      if (!token) throw new AppError('not_found', 'There is no such token.');
      const query = selectAdminTokens(manager).where('t.balanceId = :balanceId and t.id = :id', token);
      const before = (await query.getRawOne<AdminToken>())!;
      await manager.update(ApiTokenEntity, { balanceId: token.balanceId, id }, { revokedAt: () => 'coalesce(revoked_at, service_now())' });
      const after = (await query.getRawOne<AdminToken>())!;
      const state = ({ state, revokedAt }: AdminToken) => ({ state, revokedAt });
      await this.audit.write({ actor, action: 'revoke token', target: id, reason, before: state(before), after: state(after) }, manager);
      return after;
    });
  }

  /** Entries of a kind or an account, those of an e-mail address that contains the text, or the ones of an entry's or a request's id. */
  async ledger({ search, accountId, kind, limit, offset }: AllLedgerArgs): Promise<AdminLedgerPage> {
    const text = search || null;
    const id = text !== null && isUuid(text) ? text : null;
    const filter = [id, id === null ? text : null, accountId ?? null, kind ?? null];
    const [page, count] = await Promise.all([
      this.dataSource.query<InCents<AdminLedgerEntry>[]>(
        `${adminEntries} where ${entryMatches} order by e.at desc, e.id desc limit $5 offset $6`,
        [...filter, limit, offset],
      ),
      this.dataSource.query<{ total: number }[]>(
        `select count(*)::integer as total from ledger_entry e join credit_balance b on b.id = e.balance_id where ${entryMatches}`,
        filter,
      ),
    ]);
    return { entries: page.map((row) => inUsd<AdminLedgerEntry>(row)), total: count[0]!.total };
  }

  /**
   * Writes a correction into the ledger.
   * @throws AppError not_found; conflict if the balance would fall below zero or exceed its maximum
   */
  async adjustBalance(actor: string, { balanceId, credits, reason }: AdjustBalanceArgs): Promise<AdminLedgerEntry> {
    return this.dataSource.transaction(async (manager) => {
      const [adjusted] = await manager.query<{ before: number | null; max: number; id: string | null }[]>(
        'select remaining_before as before, remaining_max as max, entry_id as id from adjust_balance($1, $2, $3, $4)',
        [isUuid(balanceId) ? balanceId : null, credits, reason, actor],
      );
      const { before, max, id } = adjusted!;
      if (before === null) throw new AppError('not_found', 'There is no such balance.');
      if (id === null) {
        throw new AppError(
          'conflict',
          `The balance holds ${before} credits: ${credits} would take it below zero or beyond the ${max} that it may hold.`,
        );
      }
      const [row] = await manager.query<InCents<AdminLedgerEntry>[]>(`${adminEntries} where ${isEntry}`, [id]);
      const entry = inUsd<AdminLedgerEntry>(row!);
      const change = { before: { remaining: before }, after: { remaining: entry.balanceAfter, entry: id } };
      await this.audit.write({ actor, action: 'adjust balance', target: balanceId, reason, ...change }, manager);
      return entry;
    });
  }
}

function selectAdminTokens(manager: EntityManager): SelectQueryBuilder<ApiTokenEntity> {
  return selectTokens(manager)
    .leftJoin(UserEntity, 'u', 'u.id = t.accountId')
    .addSelect('t.accountId', 'accountId')
    .addSelect('u.email', 'accountEmail');
}

// In SQL: an entry is found by the place and the time in its id, and a ledger is long.
const adminEntries = `
  select ${entryColumns}, e.balance_id as "balanceId", b.account_id as "accountId", u.email as "accountEmail", e.reason, e.actor, t.name as "tokenName"
    from ledger_entry e
    join credit_balance b on b.id = e.balance_id
    left join auth."user" u on u.id = b.account_id
    left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id`;

// An entry's id holds the millisecond it was written in, and the ledger an index by time.
const isEntry = `(e.id = $1 and e.at >= entry_time($1) and e.at < entry_time($1) + interval '1 millisecond')`;

const entryMatches = `
  ($1::text is null or e.id = $1::uuid or e.request_id = lower($1))
  and ($2::text is null or b.account_id in (select id from auth."user" where position(lower($2) in lower(email)) > 0))
  and ($3::text is null or b.account_id = $3)
  and ($4::text is null or e.kind = $4)`;
