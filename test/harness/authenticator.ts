import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

interface Twist {
  /** As the browser reports it: the page's own. */
  origin?: string;
  rpId?: string;
  challenge?: string;
  credentialId?: string;
  /** The device's attestation: of another format than `none`, or with a statement. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> };
  /** In place of its public key. */
  key?: Buffer;
  /** Whether it asked for a PIN, a finger or a face; unset: it did. */
  isVerified?: boolean;
  /** Whose passkey it says that it is. */
  userHandle?: string;
}

interface Options {
  challenge: string;
  rp?: { id: string };
  user?: { id: string };
  rpId?: string;
}

const [isPresent, isPresentAndVerified] = [0x01, 0x05];
const hasCredential = 0x40;

/** A passkey device in software: ES256, attestation `none`, as browsers hand it to a page (WebAuthn level 2). */
export class Authenticator {
  readonly credentialId = randomBytes(16).toString('base64url');
  private counter = 0;
  /** The account's name in the options of its registration. */
  private userHandle?: string;
  private readonly privateKey: KeyObject;
  private readonly publicKey: { x: Buffer; y: Buffer };

  constructor(private readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    this.privateKey = privateKey;
    this.publicKey = { x: Buffer.from(x!, 'base64url'), y: Buffer.from(y!, 'base64url') };
  }

  /** Answers these options like navigator.credentials.create(). */
  register(options: Options, twist: Twist = {}) {
    this.userHandle = options.user!.id;
    const id = Buffer.from(this.credentialId, 'base64url');
    const { x, y } = this.publicKey;
    const coseKey = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, x],
        [-3, y],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, twist.key ?? coseKey]);
    const authData = this.authenticatorData(twist.rpId ?? options.rp!.id, userOf(twist) | hasCredential, credential);
    const { fmt, attStmt } = twist.attestation ?? { fmt: 'none', attStmt: new Map() };
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]) as Map<string, never>,
    );
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', options, twist).toString('base64url'),
      attestationObject: Buffer.from(attestationObject).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers these options like navigator.credentials.get(). */
  signIn(options: Options, twist: Twist = {}) {
    this.counter++;
    const authData = this.authenticatorData(twist.rpId ?? options.rpId!, userOf(twist), Buffer.alloc(0));
    const clientData = this.clientData('webauthn.get', options, twist);
    const { userHandle = this.userHandle } = twist;
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.privateKey);
    return this.credential(
      {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(userHandle !== undefined && { userHandle }),
      },
      twist.credentialId,
    );
  }

  private credential<Proof extends object>(response: Proof, id = this.credentialId) {
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  private clientData(type: string, { challenge }: Options, twist: Twist): Buffer {
    const said = { type, challenge: twist.challenge ?? challenge, origin: twist.origin ?? this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(said));
  }

  private authenticatorData(rpId: string, flags: number, credential: Buffer): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, credential]);
  }
}

const userOf = ({ isVerified = true }: Twist): number => (isVerified ? isPresentAndVerified : isPresent);

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
