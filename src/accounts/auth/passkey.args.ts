import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { ArrayMaxSize, IsArray, IsIn, IsObject, IsString, Length, Matches, ValidateBy } from 'class-validator';
import { allOf, OptionalKey } from '../../core/check-body.js';
import { IsId, IsName } from './auth.args.js';

// The bodies of `POST /api/auth/passkey/…`. The passkey library trusts the types of its input, so every field that it reads is checked here.

/** Bytes in base64url, as browsers write them. */
const IsBytes = (most: number) =>
  allOf(IsString(), Length(1, Math.ceil((most * 4) / 3)), Matches(/^[\w-]*$/, { message: 'must be base64url' }));

const maxCredentialIdBytes = 1023;
const maxUserHandleBytes = 64;
const maxBytes = 3072;

/**
 * We ask for attestation `none`, and browsers comply. For other formats the library would contact addresses named in the attestation's
 * certificates, so they are refused.
 */
const HasNoAttestation = () =>
  ValidateBy(
    { name: 'hasNoAttestation', validator: { validate: (value) => typeof value === 'string' && isAttestationEmpty(value) } },
    { message: 'must be of the format none, without a statement' },
  );

function isAttestationEmpty(attestationObject: string): boolean {
  try {
    const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject.slice(0, maxBytes * 2)));
    return decoded.get('fmt') === 'none' && decoded.get('attStmt').size === 0;
  } catch {
    return false; // not CBOR, or of another shape
  }
}

class NewPasskeyProof {
  @IsBytes(maxBytes)
  clientDataJSON: string;

  @IsBytes(maxBytes)
  @HasNoAttestation()
  attestationObject: string;

  @OptionalKey()
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

  @OptionalKey()
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
  /** The device's label for the account. Default: the person's name. */
  @OptionalKey()
  @IsName(200)
  name?: string;

  @OptionalKey()
  @IsIn(['platform', 'cross-platform'])
  authenticatorAttachment?: string;
}

export class RegisterPasskeyBody {
  @IsObject()
  response = new NewPasskeyAnswer();

  @OptionalKey()
  @IsName(100)
  name?: string;
}

export class PasskeySignInBody {
  @IsObject()
  response = new PasskeyAnswer();
}

export class PasskeyBody {
  @IsId()
  id: string;
}

export class RenamePasskeyBody extends PasskeyBody {
  @IsName(100)
  name: string;
}
