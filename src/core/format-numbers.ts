/** Figures as operators read them. */
export const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
export const share = (part: number, whole: number): string => percent(shareOf(part, whole));
export const count = (value: number): string => value.toLocaleString('en-US');
