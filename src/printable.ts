/** One line for a terminal: whatever could move its cursor, change its colours or turn the direction of writing is shown as `�`. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
