import type { DocPage } from './doc-pages.js';
import { type Example, examples } from './examples.js';
import { type OpenApi, type ReferenceEntry, referenceEntries } from './openapi.js';

/** The sources of the pages. */
export interface DocsSource {
  contract: OpenApi;
  plans: PlanNumbers;
  /** The files in `pages` and `programs`, by name. */
  texts: Record<string, string>;
}

/** Amounts are decimal strings in US dollars. */
export interface PlanNumbers {
  trialPlan: { records: number; lifetimeDays: number };
  paidPlan: { priceUsd: string; includedRecords: number; overageUsd: string };
}

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'example'; example: Example }
  | { kind: 'program'; name: string }
  | { kind: 'operation'; entry: ReferenceEntry }
  | { kind: 'record' }
  | { kind: 'errors' };

/** A part of a page with a heading. The first part has the page's own, and may be empty. */
export interface Section {
  id: string;
  title: string;
  level: 1 | 2 | 3;
  /** The summary of a part that is folded at first. */
  summary: string | undefined;
  blocks: Block[];
}

/** A page in parts. A line of its text such as `{{record}}` is replaced with what the contract says. */
export function sectionsOf({ name, title }: DocPage, source: DocsSource): Section[] {
  const sections: Section[] = [section('main', title, 1)];
  const add = (block: Block) => sections.at(-1)!.blocks.push(block);
  for (const part of insertNumbers(source.texts[`${name}.md`]!, source).split(/\n\s*\n|\n(?=\{\{|## )|(?<=^## .*)\n/m)) {
    const [, heading] = /^## (.*)$/.exec(part) ?? [];
    const [, directive, of = ''] = /^\{\{(\w+) ?(.*)\}\}$/.exec(part.trim()) ?? [];
    if (heading) sections.push(section(slug(heading), heading, 2));
    else if (directive === 'operations' || directive === 'folded') {
      for (const entry of referenceEntries(source.contract).filter(({ operation }) => operation.tags?.includes(of))) {
        const isFolded = directive === 'folded';
        sections.push({
          ...section(entry.id, `${entry.method.toUpperCase()} ${entry.path}`, isFolded ? 3 : 2),
          ...(isFolded && { summary: entry.operation.summary ?? '' }),
          blocks: [{ kind: 'operation', entry }],
        });
      }
    } else if (directive === 'example') add({ kind: 'example', example: examples[of as keyof typeof examples] });
    else if (directive === 'program') add({ kind: 'program', name: of });
    else if (directive === 'record' || directive === 'errors') add({ kind: directive });
    else if (part.trim()) add({ kind: 'text', text: part.trim() });
  }
  return sections;
}

const section = (id: string, title: string, level: 1 | 2 | 3): Section => ({ id, title, level, summary: undefined, blocks: [] });

/** As GitHub makes them. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** This service's URL, and the numbers of the plans. */
function insertNumbers(text: string, { contract, plans: { trialPlan, paidPlan } }: DocsSource): string {
  const beyond = BigInt(countyRecords - paidPlan.includedRecords);
  const numbers: Record<string, string> = {
    'trial.records': inWords(trialPlan.records),
    'trial.days': inWords(trialPlan.lifetimeDays),
    'support.address': contract.info.contact.email ? ` at ${contract.info.contact.email}` : '',
    'paid.price': `$${paidPlan.priceUsd}`,
    'paid.records': inWords(paidPlan.includedRecords),
    'paid.overage': `$${paidPlan.overageUsd}`,
    'county.records': inWords(countyRecords),
    'county.paid': `$${inWords(Number((cents(paidPlan.priceUsd) + beyond * cents(paidPlan.overageUsd)) / 100n))}`,
  };
  return text.replace(/\{\{(\w+\.\w+)\}\}/g, (_, name) => numbers[name]!).replaceAll('$BASE_URL', contract.servers[0]!.url);
}

/** A county of middle size, as an example of what one costs. */
const countyRecords = 65_000;

const cents = (usd: string): bigint => BigInt(usd.replace('.', ''));

const inWords = (count: number): string => count.toLocaleString('en-US');
