/** A page of the docs. Its text is `pages/NAME.md`; as Markdown it is served at `/docs/NAME.md`. */
export interface DocPage {
  name: string;
  /** Where the page is on the site. */
  path: string;
  title: string;
  description: string;
}

const page = (name: string, title: string, description: string): DocPage => ({ name, path: `/docs/${name}`, title, description });

/** In the order of the contents. */
export const docPages: readonly DocPage[] = [
  { ...page('start', 'Get started', 'The first request, and where to go on.'), path: '/docs' },
  page('records', 'Records', 'Reading parcel records: parameters, answer, paging, and how a lost answer is fetched again.'),
  page('fields', 'Fields of a record', 'Every field of a parcel record with its type, unit and meaning, and a complete record.'),
  page('counties', 'Counties', 'Which counties have records, how many, and since when.'),
  page('metering', 'Metering', 'What costs a credit and what does not, your balance and ledger, receipts and proofs.'),
  page('tokens', 'Tokens', 'Creating, listing and revoking API tokens.'),
  page('whole-counties', 'Whole counties', 'Programs that read a whole county once, and keep a copy of it current at the lowest cost.'),
  page('errors', 'Errors', 'Every error, what it means and what to do.'),
  page('limits', 'Prices and limits', 'What each plan costs and includes, and every limit, on one page.'),
  page('words', 'Words', 'What the words of these pages mean.'),
  page('versions', 'Versions', 'What stays, what may be added, and how something is removed.'),
  page('service', 'Service', 'Health, readiness, the OpenAPI document, and the webhook of the payment processor.'),
  page('authentication', 'Authentication', 'Sign-up, sign-in, sessions, passkeys and email links.'),
];

/** The page's Markdown. */
export const markdownPath = ({ name }: DocPage): string => `/docs/${name}.md`;
