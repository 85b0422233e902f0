import { ArrayMaxSize, IsArray, IsBoolean, IsEmail, IsString, Length, Matches, MaxLength } from 'class-validator';
import { allOf, OptionalKey } from '../../core/check-body.js';
import { plainText, plainTextRule, visibleText, visibleTextRule } from '../../core/parameters.js';

// The bodies of `POST /api/auth/…`. Unknown fields are refused: a role in a profile is an attack or a misunderstanding.

const maxEmailLength = 254;
// What better-auth accepts: zod's `email`.
const addressText = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const addressRule = { message: 'must be an address in ASCII, such as ada@example.com' };
// NIST SP 800-63B: at least 8 characters, no composition rules. The upper bound only keeps hashing cheap.
const [minPasswordLength, maxPasswordLength] = [8, 128];

/** Accepts only addresses that better-auth also accepts, so that the refusal is in our words. */
const IsAddress = () => allOf(IsEmail({}, addressRule), Matches(addressText, addressRule), MaxLength(maxEmailLength));
const IsPassword = () => allOf(MaxLength(maxPasswordLength), IsString());
const IsNewPassword = () => allOf(Length(minPasswordLength, maxPasswordLength), IsString());
/** A page to return to, or the token of a mailed link. */
const IsLink = () => allOf(MaxLength(2000), IsString());
export const IsName = (maxLength: number) => allOf(Matches(visibleText, visibleTextRule), Length(1, maxLength), IsString());
export const IsId = () => allOf(Matches(plainText, plainTextRule), MaxLength(200), IsString());
/** Ids of the passkeys, tokens or sessions to keep. All others are revoked. */
const AreIds = () =>
  allOf(
    OptionalKey(),
    IsArray(),
    ArrayMaxSize(500),
    IsString({ each: true }),
    MaxLength(200, { each: true }),
    Matches(plainText, { each: true, ...plainTextRule }),
  );

export class NoBody {}

/** The body of an operation that mails a link or redirects to a page. */
class ReturningBody {
  @OptionalKey()
  @IsLink()
  callbackURL?: string;
}

class SigningInBody extends ReturningBody {
  @OptionalKey()
  @IsBoolean()
  rememberMe?: boolean;
}

export class SignUpBody extends SigningInBody {
  /** The person's name. Default: the part of the address before the @. */
  @OptionalKey()
  @IsName(200)
  name?: string;

  @IsAddress()
  email: string;

  @IsNewPassword()
  password: string;
}

export class SignInBody extends SigningInBody {
  @IsString()
  @MaxLength(maxEmailLength)
  @Matches(plainText, plainTextRule)
  email: string;

  @IsPassword()
  password: string;
}

export class ProfileBody {
  @IsName(200)
  name: string;
}

/** The query of a mailed link. */
export class OpenLink extends ReturningBody {
  @IsLink()
  token: string;
}

/** The token of a mailed link, and the choices of the person who opened it. */
export class ConfirmBody extends OpenLink {
  @AreIds()
  keepPasskeys?: string[];

  @AreIds()
  keepTokens?: string[];

  @AreIds()
  keepSessions?: string[];

  /** Whether the person, who did not sign up themselves, wants a password reset link instead. */
  @OptionalKey()
  @IsBoolean()
  reset?: boolean;
}

export class SendVerificationBody extends ReturningBody {
  @IsAddress()
  email: string;
}

export class RequestResetBody {
  @IsAddress()
  email: string;

  @OptionalKey()
  @IsLink()
  redirectTo?: string;
}

export class ResetPasswordBody {
  @IsNewPassword()
  newPassword: string;

  @IsId()
  token: string;

  @AreIds()
  keepPasskeys?: string[];

  @AreIds()
  keepTokens?: string[];
}

export class ChangePasswordBody {
  @IsPassword()
  currentPassword: string;

  @IsNewPassword()
  newPassword: string;

  /** Accepted because better-auth's client sends it. It has no effect: the other sessions always end. */
  @OptionalKey()
  @IsBoolean()
  revokeOtherSessions?: boolean;
}

export class ChangeEmailBody extends ReturningBody {
  @IsAddress()
  newEmail: string;
}

export class DeleteAccountBody extends ReturningBody {
  @OptionalKey()
  @IsPassword()
  password?: string;
}

export class RevokeSessionBody {
  /** The session's id, which the list of sessions returns as `token`. The real token is never in a body. */
  @IsId()
  token: string;
}
