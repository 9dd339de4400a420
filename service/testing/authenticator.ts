/** Authenticators for tests: a TOTP app, and a passkey (WebAuthn 3). */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { generate } from 'otplib';

/** TOTP code that the app shows `seconds` from now. */
export const generateCode = (secret: string, seconds = 0): Promise<string> =>
  generate({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

const FLAGS = { present: 1, verified: 4, attested: 64 };

/** Creates a passkey for the host of `origin`. */
export function createPasskey(origin: string, { verifies = true, counts = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const rpIdHash = sha256(new URL(origin).hostname);
  let counter = 0;
  const buildCredential = (response: object) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response,
    clientExtensionResults: {},
  });
  const buildClientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const buildAuthenticatorData = (extra: number) => {
    if (counts) counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = FLAGS.present | (verifies ? FLAGS.verified : 0) | extra;
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count]);
  };

  return {
    /** Response of `navigator.credentials.create`. */
    register(challenge: string) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      );
      const length = Buffer.from([0, id.length]);
      const authData = Buffer.concat([
        buildAuthenticatorData(FLAGS.attested),
        Buffer.alloc(16),
        length,
        id,
        cose,
      ]);
      const attestation = isoCBOR.encode(
        new Map<string, string | Map<string, never> | Uint8Array>([
          ['fmt', 'none'],
          ['attStmt', new Map<string, never>()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return buildCredential({
        clientDataJSON: buildClientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal'],
      });
    },
    /** Response of `navigator.credentials.get`. */
    prove(challenge: string) {
      const data = buildClientData('webauthn.get', challenge);
      const authData = buildAuthenticatorData(0);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
      return buildCredential({
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}
