import { createHash } from 'node:crypto';

/** The hash of an email address in the keys of limits. Their table then holds no addresses, and no passwords typed into that field. */
export const emailKey = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');
