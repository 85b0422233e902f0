import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { FormerMeter } from './former-meter.js';
import { ItemInvoicer } from './item-invoicer.js';
import { OverageBiller } from './overage-biller.js';
import { OverageInvoices } from './overage-invoices.js';

type OverageConfig = Pick<Config, 'stripeAutomaticTax' | 'overageBillThresholdUsd'>;

/** @param concurrency how many customers are looked at side by side */
export function createOverageBiller(stripe: Stripe, pool: Pool, config: OverageConfig, log: Logger, concurrency?: number): OverageBiller {
  const overageInvoices = new OverageInvoices(stripe, config.stripeAutomaticTax);
  const invoicer = new ItemInvoicer(stripe, pool, overageInvoices, new FormerMeter(stripe, pool), log);
  const { overageBillThresholdUsd: dollars } = config;
  const thresholdCents = dollars === undefined ? null : dollars * 100;
  return new OverageBiller({
    stripe,
    pool,
    invoicer,
    overageInvoices,
    thresholdCents,
    log,
    ...(concurrency !== undefined && { concurrency }),
  });
}
