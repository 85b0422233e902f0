import { Badge, Button, Group, List, Skeleton, Text } from '@mantine/core';
import { useCallback } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import { browserOf, fromAddress } from '../../format/format.js';
import { useAction } from '../../hooks/use-action.js';
import { useRemote } from '../../hooks/use-remote.js';
import { ActionError, LoadFailed } from '../../ui/failures.js';
import { Section } from '../../ui/section.js';
import { Timestamp } from '../../ui/timestamp.js';
import classes from './account-page.module.css';

/** The sessions of the account. Each can be signed out here. */
export function SessionsPart() {
  const sessions = useRemote(useCallback(async () => (await orThrow(authClient.listSessions())) ?? [], []));
  const current = authClient.useSession().data?.session.id;
  const end = useAction(async (token: string) => {
    await orThrow(authClient.revokeSession({ token }));
    sessions.reload();
  });
  const endOthers = useAction(async () => {
    await orThrow(authClient.revokeOtherSessions());
    sessions.reload();
  });

  return (
    <Section
      title="Sessions"
      actions={
        <Button
          variant="default"
          onClick={() => void endOthers.run()}
          loading={endOthers.isBusy}
          disabled={(sessions.data?.length ?? 0) < 2}
        >
          Sign out everywhere else
        </Button>
      }
    >
      <ActionError error={end.error ?? endOthers.error} />
      {sessions.error && <LoadFailed what="Your sessions" message={sessions.error.message} onRetry={sessions.reload} />}
      {!sessions.data && !sessions.error && <Skeleton height={48} aria-busy="true" />}
      <List listStyleType="none" className={classes.rows}>
        {sessions.data?.map((session) => (
          <List.Item key={session.id} className={classes.row}>
            <Group justify="space-between">
              <div>
                <Group gap="xs">
                  <Text fw={600}>{browserOf(session.userAgent)}</Text>
                  {session.id === current && (
                    <Badge variant="default" tt="none">
                      this session
                    </Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  {fromAddress(session.ipAddress)}signed in <Timestamp at={new Date(session.createdAt).toISOString()} />
                </Text>
              </div>
              {session.id !== current && (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Sign out ${browserOf(session.userAgent)}`}
                  loading={end.isBusy}
                  onClick={() => void end.run(session.token)}
                >
                  Sign out
                </Button>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
