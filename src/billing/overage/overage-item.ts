/** Overage that is to be billed, or given back: of one period of one balance. Times in seconds since 1970. */
export interface OverageDue {
  balanceId: string;
  /** Below zero where something is to be given back. */
  records: number;
  unitCents: number;
  periodStartSeconds: number;
  periodEndSeconds: number;
}

/** It as we put it on a bill, kept before Stripe is called. */
export interface OverageItem extends OverageDue {
  id: string;
  subscriptionId: string;
  stripeCustomerId: string;
  way: 'draft' | 'bill' | 'credit' | 'meter' | 'upgrade';
  invoiceId: string | null;
  finalizesAtSeconds: number | null;
  attempts: number;
  failures: number;
  nowSeconds: number;
}

export const amountCents = ({ records, unitCents }: OverageDue): number => records * unitCents;
