/** Figures as operators read them. */
export const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
/** Of a field that the reports of its time do not count there is none. */
export const shareOf = (part: number | undefined, whole: number): number => (whole === 0 ? 0 : (part ?? 0) / whole);
export const share = (part: number | undefined, whole: number): string => percent(shareOf(part, whole));
export const count = (value: number): string => value.toLocaleString('en-US');
