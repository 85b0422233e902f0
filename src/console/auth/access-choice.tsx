import { Button, Checkbox, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { browserOf, fromAddress } from '../format.js';
import { Timestamp } from '../ui/parts.js';

/** Everything that gives access to an account besides its password, as the page of a mailed link shows it. */
export interface Access {
  passkeys: { id: string; name: string | null; createdAt: string }[];
  tokens: { id: string; name: string; plan: string; issuedAt: string; lastUsedAt: string | null }[];
  sessions?: { id: string; ipAddress: string | null; userAgent: string | null; createdAt: string }[];
}

export const idsOf = ({ passkeys, tokens, sessions = [] }: Access): string[] => [...passkeys, ...tokens, ...sessions].map(({ id }) => id);

/** The request fields that list what to keep, by kind. */
export function keptChoices({ passkeys, tokens, sessions }: Access, kept: string[]) {
  const among = (all: { id: string }[]) => all.map(({ id }) => id).filter((id) => kept.includes(id));
  return { keepPasskeys: among(passkeys), keepTokens: among(tokens), ...(sessions && { keepSessions: among(sessions) }) };
}

export const passkeyName = ({ name }: { name: string | null }): string => (name ? `Passkey “${name}”` : 'Passkey');
export const tokenName = ({ name }: { name: string }): string => `API token “${name}”`;

interface AccessChoiceProps {
  access: Access;
  label: string;
  description: string;
  /** The ids that are ticked. */
  kept: string[];
  onChange: (kept: string[]) => void;
}

/** Lists everything that gives access to an account, with a checkbox each. What is ticked is kept. */
export function AccessChoice({ access, label, description, kept, onChange }: AccessChoiceProps) {
  const all = idsOf(access);
  const box = (id: string, name: string, details: ReactNode) => <Checkbox key={id} value={id} label={name} description={details} />;
  return (
    <Stack gap="sm">
      <Checkbox.Group label={label} description={description} value={kept} onChange={onChange}>
        <Stack gap="sm" mt="sm">
          {access.passkeys.map((passkey) => box(passkey.id, passkeyName(passkey), <>added {at(passkey.createdAt)}</>))}
          {access.tokens.map(({ id, name, plan, issuedAt, lastUsedAt }) => {
            const use = lastUsedAt ? <>last used {at(lastUsedAt)}</> : 'never used';
            return box(
              id,
              tokenName({ name }),
              <>
                {plan}, created {at(issuedAt)}, {use}
              </>,
            );
          })}
          {access.sessions?.map(({ id, userAgent, ipAddress, createdAt }) =>
            box(
              id,
              `Session in ${browserOf(userAgent)}`,
              <>
                {fromAddress(ipAddress)}signed in {at(createdAt)}
              </>,
            ),
          )}
        </Stack>
      </Checkbox.Group>
      {all.length > 1 && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => onChange(kept.length < all.length ? all : [])}>
            {kept.length < all.length ? 'Select all' : 'Clear all'}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const at = (time: string): ReactNode => <Timestamp at={time} />;
