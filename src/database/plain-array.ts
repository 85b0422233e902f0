/**
 * A Postgres array of values that have no comma, quote, backslash, brace or space in them, such as ids. The driver looks through each
 * for these, which took more than a hundredth of a read.
 */
export const plainArray = (values: string[]): string => `{${values.join(',')}}`;
