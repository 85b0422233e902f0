import { createHash } from 'node:crypto';

/** At most `max` events under this key within any `withinSeconds` seconds. */
export interface Limit {
  key: string;
  max: number;
  withinSeconds: number;
}

const minute = 60;
const hour = 60 * minute;
const window = 15 * minute;

/**
 * Every limit of accounts. The key says what is counted; a source is a recognized device (`RecognizedDevices`), otherwise an address.
 * An address is an IPv4 address or an IPv6 /64; the /48 around it has eight times the limit (`auth.network_key`).
 */
export const limits = {
  // Sign-in by password (`SignInGuard`), in this order: typing errors, guesses, and correct passwords, which cost as much hashing.
  wrongPasswords: (email: string, source: string): [Limit, Limit] => {
    const key = `failed sign-in to ${hashOf(email)} from ${source}`;
    return [
      { key, max: 3, withinSeconds: 10 },
      { key, max: 10, withinSeconds: window },
    ];
  },
  correctPasswords: (email: string): Limit => ({ key: `sign-in to ${hashOf(email)}`, max: 60, withinSeconds: minute }),
  // Beyond these two we assume an attack. A source that the account does not know then has one attempt per window.
  wrongPasswordsOfAccount: (email: string): Limit => ({ key: `failed sign-in to ${hashOf(email)}`, max: 20, withinSeconds: window }),
  wrongPasswordsOfAddress: (address: string): Limit => ({ key: `failed sign-in by ${address}`, max: 50, withinSeconds: window }),
  duringAttack: (email: string, source: string): Limit => ({ ...limits.wrongPasswords(email, source)[0], max: 1, withinSeconds: window }),

  // Wrong passwords that confirm a change (`auth-routes.ts`).
  wrongConfirmations: (sessionId: string | undefined): Limit => ({
    key: `wrong password in session ${sessionId}`,
    max: 5,
    withinSeconds: window,
  }),

  // Anonymous requests of an address or browser (`VisitorLimits`, called by `auth-routes.ts`). A sign-up is a request for a mail, too: with
  // that of its browsers, an address has one budget of 60 mails an hour.
  mailRequests: (visitor: string) => ({ key: `mail by ${visitor}`, max: 30, withinSeconds: hour }),
  passkeyChallenges: (visitor: string) => ({ key: `passkey challenge by ${visitor}`, max: 60, withinSeconds: minute }),

  // All mails that are sent to one recipient (`accounts.ts`): more than a person needs, and too few to flood a mailbox.
  mails: (email: string): Limit => ({ key: `mail to ${hashOf(email)}`, max: 20, withinSeconds: hour }),
};

/** Keys have hashes of email addresses, so their table holds no addresses, and no passwords typed into that field. */
const hashOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');
