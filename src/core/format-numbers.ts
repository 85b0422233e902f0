/** Numbers for messages to operators. */
export const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
/** @param part undefined counts as 0: reports of older releases lack newer fields */
export const shareOf = (part: number | undefined, whole: number): number => (whole === 0 ? 0 : (part ?? 0) / whole);
export const share = (part: number | undefined, whole: number): string => percent(shareOf(part, whole));
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
export const count = (value: number): string => value.toLocaleString('en-US');
