import '../styles/console-styles.js';
import { Route, Switch } from 'wouter';
import { paths } from '../paths.js';
import { ForgotPasswordPage } from './forgot-password-page.js';
import { ResetPasswordPage } from './reset-password-page.js';
import { SignInPage } from './sign-in-page.js';
import { SignUpPage } from './sign-up-page.js';
import { VerifyEmailPage } from './verify-email-page.js';

export default function AuthPages() {
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
