import type { DataSource } from 'typeorm';
import { PasskeyEntity } from './passkey.entity.js';

/** A passkey as its owner recognises it. */
export type ListedPasskey = Pick<PasskeyEntity, 'id' | 'name' | 'createdAt'>;

/** Operations on passkeys that better-auth lacks: they are for who has proved to own the account, but has no session yet. */
export class PasskeyStore {
  constructor(private readonly dataSource: DataSource) {}

  list(userId: string): Promise<ListedPasskey[]> {
    return this.dataSource
      .getRepository(PasskeyEntity)
      .find({ where: { userId }, select: { id: true, name: true, createdAt: true }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async removeAll(userId: string): Promise<void> {
    await this.dataSource.getRepository(PasskeyEntity).delete({ userId });
  }
}
