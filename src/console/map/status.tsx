import { Box, Group, Text } from '@mantine/core';
import { formatCount } from '../format.js';
import { type CoverageKind, coverageKinds } from '../public-api.js';
import { Swatch } from '../ui/parts.js';

/** The name of each status and its meaning for customers. */
export const statusWords: Record<CoverageKind, { label: string; meaning: string }> = {
  loaded: { label: 'Loaded', meaning: 'records are served' },
  partial: { label: 'Partial', meaning: 'records of less than half of the county' },
  loading: { label: 'Loading', meaning: 'the first load is running' },
  planned: { label: 'Planned', meaning: 'on the list, no records yet' },
  unavailable: { label: 'Unavailable', meaning: 'no usable source is known' },
  sample: { label: 'Sample', meaning: 'invented records for testing' },
};

/** The drawing order: later kinds cover the borders of earlier ones. */
export const paintOrder: CoverageKind[] = ['planned', 'unavailable', 'loading', 'loaded', 'partial', 'sample'];

export function StatusBadge({ status }: { status: CoverageKind }) {
  return (
    <Group component="span" display="inline-flex" gap="0.45rem" wrap="nowrap" style={{ whiteSpace: 'nowrap' }}>
      <Swatch color={`var(--status-${status})`} size={10} radius="50%" />
      {statusWords[status].label}
    </Group>
  );
}

const isHatched = (kind: CoverageKind): boolean => kind === 'partial' || kind === 'unavailable';

/** The colour of a county in an SVG that contains `Hatch`. */
export const fillOf = (kind: CoverageKind): string => (isHatched(kind) ? `url(#hatch-${kind})` : `var(--status-${kind})`);

/** The patterns of partial counties, and of those without a usable source. Each SVG that colours by status must contain them. @param size of a stripe and its gap, in SVG units */
export function Hatch({ size }: { size: number }) {
  return (
    <defs>
      {(['partial', 'unavailable'] as const).map((kind) => (
        <pattern key={kind} id={`hatch-${kind}`} width={size} height={size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={size} height={size} fill="var(--status-planned)" />
          <rect width={size / 2} height={size} fill={`var(--status-${kind})`} />
        </pattern>
      ))}
    </defs>
  );
}

const swatchOf = (kind: CoverageKind): string =>
  isHatched(kind)
    ? `repeating-linear-gradient(45deg, var(--status-${kind}) 0 2px, var(--status-planned) 2px 4px)`
    : `var(--status-${kind})`;

/** The legend of the map: the colour, name, meaning and number of counties of each status that occurs. */
export function StatusLegend({ counts }: { counts: Partial<Record<CoverageKind, number>> }) {
  return (
    <Box component="dl" m={0}>
      {coverageKinds
        .map((kind) => ({ kind, count: counts[kind] ?? 0 }))
        .filter(({ count }) => count > 0)
        .map(({ kind, count }) => (
          <Group key={kind} justify="space-between" gap="md" py={5} wrap="nowrap">
            <Group component="dt" gap="xs" wrap="nowrap">
              <Swatch color={swatchOf(kind)} size={16} />
              <span>
                <Text span fw={600}>
                  {statusWords[kind].label}
                </Text>
                <Text span size="sm" c="dimmed">
                  {' '}
                  {statusWords[kind].meaning}
                </Text>
              </span>
            </Group>
            <Text component="dd" m={0} fw={600}>
              {formatCount(count)}
            </Text>
          </Group>
        ))}
    </Box>
  );
}
