/** What opens an account beside its password, as a mailed link shows it. */
export interface Access {
  passkeys: { id: string; name: string | null; createdAt: string }[];
  tokens: { id: string; name: string; plan: string; issuedAt: string; lastUsedAt: string | null }[];
  sessions?: { id: string; ipAddress: string | null; userAgent: string | null; createdAt: string }[];
}

export const idsOf = ({ passkeys, tokens, sessions = [] }: Access): string[] => [...passkeys, ...tokens, ...sessions].map(({ id }) => id);

/** What the server is told: of each kind, what stays. */
export function keptOf({ passkeys, tokens, sessions }: Access, kept: string[]) {
  const among = (all: { id: string }[]) => all.map(({ id }) => id).filter((id) => kept.includes(id));
  return { keepPasskeys: among(passkeys), keepTokens: among(tokens), ...(sessions && { keepSessions: among(sessions) }) };
}

export const passkeyName = ({ name }: { name: string | null }): string => (name ? `Passkey “${name}”` : 'Passkey');
export const tokenName = ({ name }: { name: string }): string => `API token “${name}”`;
