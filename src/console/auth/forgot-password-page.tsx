import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { TextLink } from '../ui/links.js';
import { AuthCard, SubmitButton } from './auth-card.js';
import { callAuth } from './use-signed-in-user.js';

export function ForgotPasswordPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const request = useAction(async (email: string) => {
    await callAuth((client) => client.requestPasswordReset({ email, redirectTo: paths.resetPassword }));
    setMailedTo(email);
  });
  const backToSignIn = (
    <TextLink href={paths.signIn()} fz="sm">
      Back to sign in
    </TextLink>
  );

  if (mailedTo) {
    return (
      <AuthCard title="Check your email" footer={backToSignIn}>
        <Text role="status">
          If there is an account for <strong>{mailedTo}</strong>, a link to reset its password has been sent. It works for one hour.
        </Text>
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title="Reset your password"
      error={request.error}
      onSubmit={({ email = '' }) => void request.run(email)}
      footer={backToSignIn}
    >
      <TextInput label="E-mail address of the account" name="email" type="email" autoComplete="username" required />
      <SubmitButton isBusy={request.isBusy}>Send the link</SubmitButton>
    </AuthCard>
  );
}
