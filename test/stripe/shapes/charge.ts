import type Stripe from 'stripe';
import { newId } from '../world.js';

export function charge(created: number, of: Stripe.Invoice): Stripe.Charge {
  return {
    id: newId('ch'),
    object: 'charge',
    amount: of.amount_due,
    amount_captured: of.amount_due,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: newId('txn'),
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: true,
    created,
    currency: of.currency,
    customer: of.customer,
    description: 'Subscription',
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: newId('pi'),
    payment_method: newId('pm'),
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}

export function invoicePayment(created: number, of: Stripe.Invoice, by: Stripe.Charge): Stripe.InvoicePayment {
  return {
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: of.amount_due,
    amount_requested: of.amount_due,
    created,
    currency: of.currency,
    invoice: of.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: by.payment_intent!, type: 'payment_intent' },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: created },
  };
}

export function refund(created: number, of: Stripe.Charge, amount: number): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn'),
    charge: of.id,
    created,
    currency: of.currency,
    customer: of.customer,
    customer_account: null,
    metadata: {},
    payment_intent: of.payment_intent,
    payment_method: of.payment_method,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
