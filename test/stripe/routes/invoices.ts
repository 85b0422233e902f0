import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { attemptAlone, finalizeInvoice, stopCollecting } from '../collecting.js';
import { invalidRequest } from '../fault.js';
import { flag, matching, type Route } from '../route.js';
import { standaloneInvoice, standaloneLine } from '../shapes/invoice.js';
import type { World } from '../world.js';

/** Bills, also such as belong to no subscription. */
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
      // In their order on the bill.
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
        world.customers.get(params.customer!, 'customer');
        if ((params.collection_method === 'send_invoice') !== (params.days_until_due !== undefined)) {
          throw invalidRequest('A bill that is sent, and no other, says by when it is due.', { param: 'days_until_due' });
        }
        return world.invoices.add(standaloneInvoice(world.clock.now(), params));
      },
    },
    {
      method: 'post',
      path: '/v1/invoices/:id',
      params: 'Invoices.InvoiceUpdateParams',
      answer: (params, id) => {
        const bill = draft(id);
        if (flag(params.auto_advance) === false) stopCollecting(bill);
        return bill;
      },
    },
    {
      method: 'post',
      path: '/v1/invoiceitems',
      params: 'InvoiceItems.InvoiceItemCreateParams',
      answer: (params: Stripe.InvoiceItemCreateParams) => {
        const line = standaloneLine(params);
        draft(params.invoice!, 'invoice').lines.data.push(line);
        return { ...line, object: 'invoiceitem' };
      },
    },
    {
      method: 'post',
      path: '/v1/invoices/:id/finalize',
      params: 'Invoices.InvoiceFinalizeInvoiceParams',
      answer: (params, id) => {
        const bill = draft(id);
        finalizeInvoice(world, bill);
        if (flag(params.auto_advance) && bill.collection_method === 'charge_automatically') attemptAlone(world, bill);
        return bill;
      },
    },
  ];
}
