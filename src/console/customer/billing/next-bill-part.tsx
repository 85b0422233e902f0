import { Skeleton, Text } from '@mantine/core';
import { formatUsd } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { NextBillDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { Section } from '../../ui/section.js';
import { Timestamp } from '../../ui/timestamp.js';
import { BillLines } from './bill-lines.js';

/** The next bill. A query of its own, since the payment processor takes seconds to preview it. */
export function NextBillPart() {
  const query = useAnswer(NextBillDocument, {});
  return (
    <Loaded what="Your next bill" answer={query} placeholder={<Skeleton height={140} />}>
      {({ subscription }) =>
        subscription?.nextBill && (
          <Section title="Next bill">
            <Text size="sm" mb="sm">
              <Timestamp at={subscription.nextBill.at} />: {formatUsd(subscription.nextBill.dueUsd)}, as far as it is known now.
              {!subscription.nextBill.isPreview && ' Coupons, credit and taxes are not included.'}
            </Text>
            <BillLines label="Lines of the next bill" lines={subscription.nextBill.lines} />
          </Section>
        )
      }
    </Loaded>
  );
}
