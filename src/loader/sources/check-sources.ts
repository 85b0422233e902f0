import pLimit, { type LimitFunction } from 'p-limit';
import { type CountySource, checkSource, type FetchOptions, type SourceState } from './fetching/county-source.js';

const hostsAtOnce = 8;

/**
 * Asks sources for their state: several servers at once, each server one question at a time.
 * @param onState called with each state as it comes
 */
export async function checkSources<Source extends CountySource>(
  sources: Source[],
  options: FetchOptions,
  onState: (source: Source, state: SourceState) => void,
): Promise<void> {
  const all = pLimit(hostsAtOnce);
  const byHost = new Map<string, LimitFunction>();
  const check = async (source: Source) => onState(source, await checkSource({ url: source.url, protocol: source.protocol }, options));
  await Promise.all(
    sources.map((source) => {
      const host = hostOf(source);
      const one = byHost.get(host) ?? pLimit(1);
      byHost.set(host, one);
      return one(() => all(() => check(source)));
    }),
  );
}

const hostOf = ({ url }: CountySource): string => (URL.canParse(url) ? new URL(url).host : url);
