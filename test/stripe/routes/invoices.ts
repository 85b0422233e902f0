import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { attemptAlone, attemptPayment, finalizeInvoice, stopCollecting, voidInvoice, writeOff } from '../collecting.js';
import { invalidRequest, missing } from '../fault.js';
import { flag, matching, type Params, type Route } from '../route.js';
import { standaloneInvoice } from '../shapes/invoice.js';
import { placeLine, previewInvoice } from '../subscribing.js';
import type { World } from '../world.js';

const mostLines = 250;
const farthestSeconds = 5 * 365 * 24 * 3600;

/** Invoices, with or without a subscription, and their items. */
export function invoiceRoutes(world: World): Route[] {
  const draft = (id: string, param?: string) => {
    const found = world.invoices.get(id, param);
    if (found.status !== 'draft')
      throw invalidRequest(`This invoice is ${found.status}, and can no longer be changed.`, { param: param ?? 'id' });
    return found;
  };
  return [
    { method: 'get', path: '/v1/invoices/:id', params: 'Invoices.InvoiceRetrieveParams', answer: (_, id) => world.invoices.get(id) },
    {
      method: 'get',
      path: '/v1/invoices/:id/lines',
      params: 'Invoices.InvoiceListLineItemsParams',
      // In their order on the invoice.
      answer: (params, id) => apiList(`/v1/invoices/${id}/lines`, [...world.invoices.get(id).lines.data].reverse(), params),
    },
    {
      method: 'get',
      path: '/v1/invoices',
      params: 'Invoices.InvoiceListParams',
      answer: (params) => {
        const { customer, status, subscription } = params;
        const found = world.invoices
          .all()
          .filter(matching({ customer, status }))
          .filter((one) => subscription === undefined || one.parent?.subscription_details?.subscription === subscription);
        return apiList('/v1/invoices', found, params);
      },
    },
    {
      method: 'post',
      path: '/v1/invoices',
      params: 'Invoices.InvoiceCreateParams',
      answer: (params: Stripe.InvoiceCreateParams) => {
        const of = world.customers.get(params.customer!, 'customer');
        if ((params.collection_method === 'send_invoice') !== (params.days_until_due !== undefined)) {
          throw invalidRequest('A bill that is sent, and no other, says by when it is due.', { param: 'days_until_due' });
        }
        return world.invoices.add({
          ...standaloneInvoice(world.clock.now(), params),
          custom_fields: customFields(params.custom_fields) ?? of.invoice_settings.custom_fields,
        });
      },
    },
    {
      method: 'post',
      path: '/v1/invoices/create_preview',
      params: 'Invoices.InvoiceCreatePreviewParams',
      answer: (params) => previewInvoice(world, params),
    },
    {
      method: 'post',
      path: '/v1/invoices/:id',
      params: 'Invoices.InvoiceUpdateParams',
      answer: (params, id) => update(world, draft(id), params),
    },
    {
      method: 'delete',
      path: '/v1/invoices/:id',
      params: 'Invoices.InvoiceDeleteParams',
      answer: (_, id) => {
        if (draft(id).parent) throw invalidRequest("You can't delete invoices created by subscriptions.");
        world.invoices.remove(id);
        return { id, object: 'invoice', deleted: true };
      },
    },
    {
      method: 'post',
      path: '/v1/invoiceitems',
      params: 'InvoiceItems.InvoiceItemCreateParams',
      answer: (params: Stripe.InvoiceItemCreateParams) => {
        const bill = draft(params.invoice!, 'invoice');
        const currency = params.currency ?? params.price_data?.currency;
        if (bill.currency !== currency) throw invalidRequest(`The currency of the invoice is ${bill.currency}.`, { param: 'currency' });
        if (bill.lines.data.length >= mostLines) throw invalidRequest(`An invoice has at most ${mostLines} items.`, { param: 'invoice' });
        const line = placeLine(world, params, bill.id);
        bill.lines.data.push(line);
        return { ...line, id: line.parent!.invoice_item_details!.invoice_item, object: 'invoiceitem' };
      },
    },
    {
      method: 'delete',
      path: '/v1/invoiceitems/:id',
      params: 'InvoiceItems.InvoiceItemDeleteParams',
      answer: (_, id) => {
        const isItem = ({ parent }: Stripe.InvoiceLineItem) => parent?.invoice_item_details?.invoice_item === id;
        const bill = world.invoices.all().find(({ lines }) => lines.data.some(isItem));
        if (!bill) throw missing('invoiceitem', id);
        draft(bill.id).lines.data = bill.lines.data.filter((line) => !isItem(line));
        return { id, object: 'invoiceitem', deleted: true };
      },
    },
    {
      method: 'get',
      path: '/v1/credit_notes',
      params: 'CreditNotes.CreditNoteListParams',
      answer: (params) => apiList('/v1/credit_notes', world.creditNotes.all().filter(matching({ invoice: params.invoice })), params),
    },
    {
      method: 'post',
      path: '/v1/invoices/:id/finalize',
      params: 'Invoices.InvoiceFinalizeInvoiceParams',
      answer: (params, id) => {
        const bill = draft(id);
        finalizeInvoice(world, bill);
        const isCollected = flag(params.auto_advance) ?? bill.auto_advance;
        bill.auto_advance = isCollected;
        if (isCollected && bill.collection_method === 'charge_automatically') (bill.parent ? attemptPayment : attemptAlone)(world, bill);
        return bill;
      },
    },
    {
      method: 'post',
      path: '/v1/invoices/:id/void',
      params: 'Invoices.InvoiceVoidInvoiceParams',
      answer: (_, id) => voidInvoice(world, world.invoices.get(id)),
    },
    {
      method: 'post',
      path: '/v1/invoices/:id/mark_uncollectible',
      params: 'Invoices.InvoiceMarkUncollectibleParams',
      answer: (_, id) => writeOff(world, world.invoices.get(id)),
    },
  ];
}

/** @returns undefined if the parameter is missing; an empty text removes all fields */
export function customFields(given: Stripe.InvoiceUpdateParams['custom_fields']): Stripe.Invoice.CustomField[] | null | undefined {
  if (given === undefined) return undefined;
  const fields: Stripe.Invoice.CustomField[] = Object.values(given || []);
  const isTooLong = fields.some(({ name, value }) => name.length > 40 || value.length > 140);
  if (fields.length > 4 || isTooLong) {
    throw invalidRequest('At most 4 custom fields, with names up to 40 and values up to 140 characters.', { param: 'custom_fields' });
  }
  return fields.length > 0 ? fields : null;
}

function update(world: World, bill: Stripe.Invoice, params: Params): Stripe.Invoice {
  const fields = customFields(params.custom_fields);
  if (fields !== undefined) bill.custom_fields = fields;
  const isAdvancing = flag(params.auto_advance);
  if (isAdvancing === false) stopCollecting(bill);
  if (isAdvancing === true && !bill.auto_advance) {
    Object.assign(bill, { auto_advance: true, automatically_finalizes_at: world.clock.now() + 3600 });
  }
  if (params.automatically_finalizes_at === undefined) return bill;
  const at = Number(params.automatically_finalizes_at);
  if (at <= world.clock.now() || at > world.clock.now() + farthestSeconds) {
    throw invalidRequest('The time must be in the future, up to 5 years.', { param: 'automatically_finalizes_at' });
  }
  return Object.assign(bill, { automatically_finalizes_at: at });
}
