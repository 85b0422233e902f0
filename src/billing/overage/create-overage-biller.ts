import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { MeterSettlement } from './meter-settlement.js';
import { OverageBiller } from './overage-biller.js';
import { OwnBill } from './own-bill.js';
import { ItemPlacer } from './place-item.js';

type OverageConfig = Pick<Config, 'stripeAutomaticTax' | 'overageBillThresholdUsd'>;

/** @param concurrency how many customers are looked at side by side */
export function createOverageBiller(stripe: Stripe, pool: Pool, config: OverageConfig, log: Logger, concurrency?: number): OverageBiller {
  const ownBill = new OwnBill(stripe, config.stripeAutomaticTax);
  const placer = new ItemPlacer(stripe, pool, ownBill, new MeterSettlement(stripe, pool), log);
  const { overageBillThresholdUsd: dollars } = config;
  const thresholdCents = dollars === undefined ? null : dollars * 100;
  return new OverageBiller({ stripe, pool, placer, ownBill, thresholdCents, log, ...(concurrency !== undefined && { concurrency }) });
}
