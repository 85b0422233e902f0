import { ArrayMaxSize, IsArray, IsBoolean, IsEmail, IsString, Length, Matches, MaxLength } from 'class-validator';
import { allOf, OptionalKey } from '../../core/check-body.js';
import { plainText, plainTextRule, visibleText, visibleTextRule } from '../../core/parameters.js';

const maxEmailLength = 254;
// What better-auth accepts: zod's `email`.
const addressText = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const addressRule = { message: 'must be an address in ASCII, such as ada@example.com' };
const maxLinkLength = 2000;
// NIST SP 800-63B: at least 8 characters, no composition rules. The upper bound only keeps hashing cheap.
const [minPasswordLength, maxPasswordLength] = [8, 128];

// The bodies of `POST /api/auth/…`. Unknown fields are refused: a role in a profile is an attack or a misunderstanding.

/** Accepts only addresses that better-auth also accepts, so that the refusal is in our words. */
const IsAddress = () => allOf(IsEmail({}, addressRule), Matches(addressText, addressRule), MaxLength(maxEmailLength));

export class NoBody {}

export class SignUpBody {
  /** The person's name. Default: the part of the address before the @. */
  @OptionalKey()
  @IsString()
  @Length(1, 200)
  @Matches(visibleText, visibleTextRule)
  name?: string;

  @IsAddress()
  email: string;

  @IsString()
  @Length(minPasswordLength, maxPasswordLength)
  password: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @OptionalKey()
  @IsBoolean()
  rememberMe?: boolean;
}

export class SignInBody {
  @IsString()
  @MaxLength(maxEmailLength)
  @Matches(plainText, plainTextRule)
  email: string;

  @IsString()
  @MaxLength(maxPasswordLength)
  password: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @OptionalKey()
  @IsBoolean()
  rememberMe?: boolean;
}

export class ProfileBody {
  @IsString()
  @Length(1, 200)
  @Matches(visibleText, visibleTextRule)
  name: string;
}

/** The query of a mailed link. */
export class OpenLink {
  @IsString()
  @MaxLength(maxLinkLength)
  token: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

/** Ids of the passkeys, tokens or sessions to keep. All others are revoked. */
const AreIds = () =>
  allOf(
    IsArray(),
    ArrayMaxSize(500),
    IsString({ each: true }),
    MaxLength(200, { each: true }),
    Matches(plainText, { each: true, ...plainTextRule }),
  );

class KeptBody {
  @OptionalKey()
  @AreIds()
  keepPasskeys?: string[];

  @OptionalKey()
  @AreIds()
  keepTokens?: string[];
}

/** The token of a mailed link, and the choices of the person who opened it. */
export class ConfirmBody extends KeptBody {
  @IsString()
  @MaxLength(maxLinkLength)
  token: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @OptionalKey()
  @AreIds()
  keepSessions?: string[];

  /** Whether the person, who did not sign up themselves, wants a password reset link instead. */
  @OptionalKey()
  @IsBoolean()
  reset?: boolean;
}

export class SendVerificationBody {
  @IsAddress()
  email: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class RequestResetBody {
  @IsAddress()
  email: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  redirectTo?: string;
}

export class ResetPasswordBody extends KeptBody {
  @IsString()
  @Length(minPasswordLength, maxPasswordLength)
  newPassword: string;

  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  token: string;

  /** Accepted because the page of an earlier version sends it. It has no effect: passkeys that are not kept are always removed. */
  @OptionalKey()
  @IsBoolean()
  removePasskeys?: boolean;
}

export class ChangePasswordBody {
  @IsString()
  @MaxLength(maxPasswordLength)
  currentPassword: string;

  @IsString()
  @Length(minPasswordLength, maxPasswordLength)
  newPassword: string;

  /** Accepted because better-auth's client sends it. It has no effect: the other sessions always end. */
  @OptionalKey()
  @IsBoolean()
  revokeOtherSessions?: boolean;
}

export class ChangeEmailBody {
  @IsAddress()
  newEmail: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class DeleteAccountBody {
  @OptionalKey()
  @IsString()
  @MaxLength(maxPasswordLength)
  password?: string;

  @OptionalKey()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class RevokeSessionBody {
  /** The session's id, which the list of sessions returns as `token`. The real token is never in a body. */
  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  token: string;
}
