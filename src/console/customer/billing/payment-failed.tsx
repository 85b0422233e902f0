import { Alert } from '@mantine/core';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { TextLink } from '../../ui/parts.js';

/** Above the tokens of a plan that still reads, but not for long. */
export const PaymentFailed = () => (
  <Alert color="orange" title="Your last payment failed">
    Your tokens still work for now. {plans.paid.isSold && <TextLink href={paths.billing}>Check your card in Billing</TextLink>}
  </Alert>
);
