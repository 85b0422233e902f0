import type { Books, BookToken } from '../ledger/books.js';

const texts = [
  `it's "quoted"`,
  '\\',
  `\\'\\\\''`,
  'NULL',
  '|',
  `'|NULL|'`,
  'two\nlines\ttab\r',
  '😀 👩‍👩‍👧 é',
  '\u2028\u0001\u007f',
  ' ',
  '',
];

/** Every kind of entry, with texts that are hard to quote. */
export async function tortured(books: Books): Promise<BookToken> {
  const token = await books.paid({ grant: 100, cap: 500 });
  for (const [i, text] of texts.entries()) {
    const { entry_id } = await books.spend(token, 9 + i, {
      key: text,
      hash: `hash of ${text}`,
      requestId: `${text} ${i}`,
      segments: [1, 1, 4, 2, 3, 5 + i],
    });
    if (i % 3 === 0) await books.spend(token, 9 + i, { key: text, hash: `hash of ${text}`, requestId: `${text} again` });
    else if (i % 3 === 1) await books.reverse(token, entry_id!);
    await books.db.query(`select adjust_balance($1, $2, $3, $4, $5)`, [token.balanceId, i % 2, `because ${text}`, `${text}.`, text]);
  }
  const { entry_id: old } = await books.spend(token, 30);
  await books.spend(token, 0);
  for (let period = 2; period <= 3; period++) {
    await books.db.query(`update credit_balance set period_end = service_now() where id = $1`, [token.balanceId]);
    await books.spend(token, 3);
  }
  await books.reverse(token, old!);
  await books.revoke(token);
  return token;
}
