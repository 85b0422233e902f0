import { ArrayMaxSize, IsArray, IsBoolean, IsEmail, IsString, Length, Matches, MaxLength } from 'class-validator';
import { allOf, MayBeMissing } from '../../core/check-body.js';
import { plainText, plainTextRule, tellingText, tellingTextRule } from '../../core/parameters.js';

const maxEmailLength = 254;
// What better-auth takes: zod's `email`.
const addressText = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const addressRule = { message: 'must be an e-mail address in ASCII, as ada@example.com' };
const maxLinkLength = 2000;
// NIST SP 800-63B: at least 8 characters, no rules of composition. The upper bound only keeps hashing cheap.
const [minPasswordLength, maxPasswordLength] = [8, 128];

// What `POST /api/auth/…` takes. Anything else in a body is refused: a role in a profile is an attack or a misunderstanding.

/** An address that better-auth takes, too: it would refuse another in words that are its own. */
const IsAddress = () => allOf(IsEmail({}, addressRule), Matches(addressText, addressRule), MaxLength(maxEmailLength));

export class NoBody {}

export class SignUpBody {
  /** What to call the person; unset: the part of the address before the @. */
  @MayBeMissing()
  @IsString()
  @Length(1, 200)
  @Matches(tellingText, tellingTextRule)
  name?: string;

  @IsAddress()
  email: string;

  @IsString()
  @Length(minPasswordLength, maxPasswordLength)
  password: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @MayBeMissing()
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

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @MayBeMissing()
  @IsBoolean()
  rememberMe?: boolean;
}

export class ProfileBody {
  @IsString()
  @Length(1, 200)
  @Matches(tellingText, tellingTextRule)
  name: string;
}

/** What a mailed link has in its query. */
export class OpenLink {
  @IsString()
  @MaxLength(maxLinkLength)
  token: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

/** Ids of what goes on opening the account; all else is dropped. */
const AreIds = () =>
  allOf(
    IsArray(),
    ArrayMaxSize(500),
    IsString({ each: true }),
    MaxLength(200, { each: true }),
    Matches(plainText, { each: true, ...plainTextRule }),
  );

class KeptBody {
  @MayBeMissing()
  @AreIds()
  keepPasskeys?: string[];

  @MayBeMissing()
  @AreIds()
  keepTokens?: string[];
}

/** What a mailed link has in its query, and what the person who opened it says to what the account has already. */
export class ConfirmBody extends KeptBody {
  @IsString()
  @MaxLength(maxLinkLength)
  token: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;

  @MayBeMissing()
  @AreIds()
  keepSessions?: string[];

  /** Whether the person, who did not sign up, wants a link to a new password instead. */
  @MayBeMissing()
  @IsBoolean()
  reset?: boolean;
}

export class SendVerificationBody {
  @IsAddress()
  email: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class RequestResetBody {
  @IsAddress()
  email: string;

  @MayBeMissing()
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

  /** Accepted since a page of an earlier release sends it; passkeys are removed in any case, except those that are kept. */
  @MayBeMissing()
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

  /** Accepted since better-auth's client sends it; the other sessions end in any case. */
  @MayBeMissing()
  @IsBoolean()
  revokeOtherSessions?: boolean;
}

export class ChangeEmailBody {
  @IsAddress()
  newEmail: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class DeleteAccountBody {
  @MayBeMissing()
  @IsString()
  @MaxLength(maxPasswordLength)
  password?: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
}

export class RevokeSessionBody {
  /** The session's id, which the list of sessions shows as `token`. The real token is never in a body. */
  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  token: string;
}
