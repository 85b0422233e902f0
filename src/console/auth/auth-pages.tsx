import '../styles/console-styles.js';
import { useEffect } from 'react';
import { Route, Switch } from 'wouter';
import { paths } from '../paths.js';
import { lazyPage } from '../shell/page-boundary.js';
import { ForgotPasswordPage } from './forgot-password-page.js';
import { SignInPage } from './sign-in-page.js';
import { SignUpPage } from './sign-up-page.js';
import { preloadAuthClient } from './use-signed-in-user.js';

// Opened by mailed links.
const ResetPasswordPage = lazyPage(() => import('./reset-password-page.js'));
const VerifyEmailPage = lazyPage(() => import('./verify-email-page.js'));

export default function AuthPages() {
  // Here before the form is filled in.
  useEffect(preloadAuthClient, []);
  return (
    <Switch>
      <Route path={paths.signIn()} component={SignInPage} />
      <Route path={paths.signUp()} component={SignUpPage} />
      <Route path={paths.forgotPassword} component={ForgotPasswordPage} />
      <Route path={paths.resetPassword} component={ResetPasswordPage} />
      <Route path={paths.verifyEmail} component={VerifyEmailPage} />
    </Switch>
  );
}
