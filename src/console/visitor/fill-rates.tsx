import { Box, Group, Text } from '@mantine/core';
import { formatShare } from '../format.js';
import { paths } from '../paths.js';
import { Section, TextLink } from '../ui/parts.js';
import classes from './fill-rates.module.css';

/** The fill rate of each field in all records of the county, as bars. */
export function FillRates({ rates }: { rates: { field: string; share: number }[] }) {
  return (
    <Section title="Fill rates" size="h3">
      <Text mb="md" c="dimmed">
        The share of records that have a value in each field. <TextLink href={paths.docsRecord}>What the fields mean</TextLink>
      </Text>
      <Box component="dl" m={0} fz="sm" className={classes.list}>
        {rates.map(({ field, share }) => (
          <Group key={field} gap="xs" py={3} wrap="nowrap">
            <Box component="dt" flex="none" w="11rem" ff="monospace" fz="0.8rem">
              {field}
            </Box>
            <Group component="dd" flex={1} m={0} gap="xs" wrap="nowrap">
              <span className={classes.track} data-colored>
                <Box component="span" display="block" h="100%" w={`${share * 100}%`} bg="var(--status-loaded)" />
              </span>
              <Box component="span" w="3.4rem" ta="right">
                {share === 0 ? 'none' : formatShare(share, 1)}
              </Box>
            </Group>
          </Group>
        ))}
      </Box>
    </Section>
  );
}
