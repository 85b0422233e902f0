import { createHash } from 'node:crypto';

/** The hash under which limits count an e-mail address, so that their table holds no addresses, nor passwords typed into that field. */
export const emailKey = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');
