import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsObject,
  IsString,
  Length,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { invalidRequest, plainText, plainTextRule, tellingText, tellingTextRule } from '../../core/parameters.js';

const maxEmailLength = 254;
// What better-auth takes: zod's `email`.
const addressText = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const addressRule = { message: 'must be an e-mail address in ASCII, as ada@example.com' };
const maxLinkLength = 2000;
// NIST SP 800-63B: at least 8 characters, no rules of composition. The upper bound only keeps hashing cheap.
const [minPasswordLength, maxPasswordLength] = [8, 128];

// What `POST /api/auth/…` takes. Anything else in a body is refused: a role in a profile is an attack or a misunderstanding.

const notAccepted = 'is not accepted here';

/** An address that better-auth takes, too: it would refuse another in words that are its own. */
function IsAddress(): PropertyDecorator {
  const rules = [IsEmail({}, addressRule), Matches(addressText, addressRule), MaxLength(maxEmailLength)];
  return (body, field) => {
    for (const rule of rules) rule(body, field);
  };
}

/** A field that may be left out. To be null is another thing: what better-auth gets it refuses then, in words that are its own. */
const MayBeMissing = () => ValidateIf((_body, value) => value !== undefined);

// What devices answer has four levels.
const maxLevels = 16;

/** What a device answered. JSON of any depth can be read, but not written again for better-auth: that would be a fault of ours. */
function IsDeviceAnswer(): PropertyDecorator {
  const validate = (value: unknown) => hasLevels(value, maxLevels);
  const rules = [IsObject(), ValidateBy({ name: 'isDeviceAnswer', validator: { validate } }, { message: 'must not be nested so deeply' })];
  return (body, field) => {
    for (const rule of rules) rule(body, field);
  };
}

const hasLevels = (value: unknown, most: number): boolean =>
  typeof value !== 'object' || value === null || (most > 0 && Object.values(value).every((inner) => hasLevels(inner, most - 1)));

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

/** What a mailed link has in its query; a program may send the same as a body. */
export class OpenLink {
  @IsString()
  @MaxLength(maxLinkLength)
  token: string;

  @MayBeMissing()
  @IsString()
  @MaxLength(maxLinkLength)
  callbackURL?: string;
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

export class ResetPasswordBody {
  @IsString()
  @Length(minPasswordLength, maxPasswordLength)
  newPassword: string;

  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  token: string;

  /** Whether passkeys, too, stop to open the account: whoever was in it may have added one. */
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

export class NewPasskey {
  /** What the device calls the account; unset: the person's name. */
  @MayBeMissing()
  @IsString()
  @Length(1, 200)
  @Matches(tellingText, tellingTextRule)
  name?: string;

  @MayBeMissing()
  @IsIn(['platform', 'cross-platform'])
  authenticatorAttachment?: string;
}

export class RegisterPasskeyBody {
  @IsDeviceAnswer()
  response: object;

  @MayBeMissing()
  @IsString()
  @Length(1, 100)
  @Matches(tellingText, tellingTextRule)
  name?: string;
}

export class PasskeySignInBody {
  @IsDeviceAnswer()
  response: object;
}

export class PasskeyBody {
  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  id: string;
}

export class RenamePasskeyBody extends PasskeyBody {
  @IsString()
  @Length(1, 100)
  @Matches(tellingText, tellingTextRule)
  name: string;
}

/** @throws AppError `invalid_request` naming every field that is missing, wrong, or not among these */
export function checkBody<Body extends object>(Kind: new () => Body, sent: unknown): Body {
  // A field named `constructor` would hide the class from the validator, and with it every rule.
  // On half of a surrogate pair the validator fails, since it cannot be encoded.
  const unreadable = Object.entries(sent ?? {}).filter(
    ([key, value]) => key in Object.prototype || (typeof value === 'string' && /\p{Cs}/u.test(value)),
  );
  if (unreadable.length > 0) throw invalidRequest(unreadable.map(([parameter]) => ({ parameter, message: notAccepted })));
  const body = Object.assign(new Kind(), sent);
  const faults = validateSync(body, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (faults.length === 0) return body;
  throw invalidRequest(faults.map(({ property, constraints }) => ({ parameter: property, message: ruleOf(property, constraints) })));
}

function ruleOf(property: string, constraints: Record<string, string> = {}): string {
  const rules = new Set(Object.values(constraints));
  return [...rules]
    .map((rule) => (rule === `property ${property} should not exist` ? notAccepted : rule.replace(`${property} `, '')))
    .join(' and ');
}
