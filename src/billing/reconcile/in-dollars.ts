import { usd } from '../../ledger/money.js';

export const inDollars = (cents: number): string => usd(BigInt(cents));
