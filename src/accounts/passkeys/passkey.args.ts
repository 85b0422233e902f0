import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { ArrayMaxSize, IsArray, IsIn, IsObject, IsString, Length, Matches, MaxLength, ValidateBy } from 'class-validator';
import { allOf, MayBeMissing } from '../../core/check-body.js';
import { plainText, plainTextRule, tellingText, tellingTextRule } from '../../core/parameters.js';

// What `POST /api/auth/passkey/…` takes. The library that checks passkeys trusts the types of what it gets, so all that it reads is here.

/** Bytes in base64url, as browsers write them. */
const IsBytes = (most: number) =>
  allOf(IsString(), Length(1, Math.ceil((most * 4) / 3)), Matches(/^[\w-]*$/, { message: 'must be base64url' }));

const maxCredentialIdBytes = 1023;
const maxUserHandleBytes = 64;
const maxBytes = 3072;

/**
 * Devices are asked to say nothing of themselves, and browsers see to it. Of every other format the library would believe certificates
 * enough to call the address that they name.
 */
const SaysNothingOfDevice = () =>
  ValidateBy(
    { name: 'saysNothingOfDevice', validator: { validate: (value) => typeof value === 'string' && hasNoStatement(value) } },
    { message: 'must be of the format none, without a statement' },
  );

function hasNoStatement(attestationObject: string): boolean {
  try {
    const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject.slice(0, maxBytes * 2)));
    return decoded.get('fmt') === 'none' && decoded.get('attStmt').size === 0;
  } catch {
    return false; // it is no CBOR, or of another shape
  }
}

class NewPasskeyProof {
  @IsBytes(maxBytes)
  clientDataJSON: string;

  @IsBytes(maxBytes)
  @SaysNothingOfDevice()
  attestationObject: string;

  @MayBeMissing()
  @IsArray()
  @ArrayMaxSize(16)
  @Matches(/^[a-z-]{1,32}$/, { each: true, message: 'must be names of transports' })
  transports?: string[];
}

class PasskeyProof {
  @IsBytes(maxBytes)
  clientDataJSON: string;

  @IsBytes(maxBytes)
  authenticatorData: string;

  @IsBytes(maxBytes)
  signature: string;

  @MayBeMissing()
  @IsBytes(maxUserHandleBytes)
  userHandle?: string;
}

class DeviceAnswer {
  @IsBytes(maxCredentialIdBytes)
  id: string;

  @IsBytes(maxCredentialIdBytes)
  rawId: string;

  @IsIn(['public-key'])
  type: string;
}

class NewPasskeyAnswer extends DeviceAnswer {
  @IsObject()
  response = new NewPasskeyProof();
}

class PasskeyAnswer extends DeviceAnswer {
  @IsObject()
  response = new PasskeyProof();
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
  @IsObject()
  response = new NewPasskeyAnswer();

  @MayBeMissing()
  @IsString()
  @Length(1, 100)
  @Matches(tellingText, tellingTextRule)
  name?: string;
}

export class PasskeySignInBody {
  @IsObject()
  response = new PasskeyAnswer();
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
