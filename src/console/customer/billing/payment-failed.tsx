import { Alert, Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';

/** Above the tokens of a plan that still reads, but not for long. */
export const PaymentFailed = () => (
  <Alert variant="outline" role="note" color="orange" title="Your last payment failed">
    Your tokens still work for now.{' '}
    {plans.paid.isSold && (
      <Anchor component={Link} href={paths.billing} size="sm" underline="always">
        Check your card in Billing
      </Anchor>
    )}
  </Alert>
);
