import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isAtHome } from '../../database/database-home.js';
import { RepeatedWork } from '../repeated-work.js';
import type { Alarms } from './alarms.js';

const lookMs = 2_000;

/** The source of the alarm of a copy. */
export const homeAlarm = 'database';
const looksLikeACopy =
  'The database looks like a copy or a restored backup. Until you say that it is the real one, no mail is sent and nothing is written to ' +
  'Stripe. If it is: npm run cli -- database confirm --reason TEXT.';

/**
 * Whether mails and writes to Stripe wait: the database is a copy, or lost what the log of checkpoints has. A copy that bills and mails as
 * the original does would charge customers twice. No row of an alarm decides that it is a copy, so deleting one ends nothing.
 */
export class OutboundHold {
  private isHeldNow = true;
  private raisedAt = 0;
  private readonly looking: RepeatedWork;

  constructor(
    private readonly pool: Pool,
    private readonly alarms: Alarms,
    log: Logger,
  ) {
    this.looking = new RepeatedWork('whether the database is a copy', lookMs, () => this.look(), log);
  }

  readonly isHeld = (): boolean => this.isHeldNow;

  async start(): Promise<void> {
    await this.look();
    this.looking.start();
  }

  stop(): Promise<void> {
    return this.looking.stop();
  }

  async look(): Promise<void> {
    const isCopy = !(await isAtHome(this.pool));
    if (!isCopy) await this.alarms.clear(homeAlarm);
    else if (this.raisedAt < Date.now() - 10 * 60_000) {
      await this.alarms.raise(homeAlarm, looksLikeACopy);
      this.raisedAt = Date.now();
    }
    this.isHeldNow = isCopy || (await this.alarms.isAny());
  }
}
