import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Passkey, PasskeyAnswer, PasskeyOptions } from '../../../contract/generated/types.gen.ts';
import { conflict } from '../../kernel/api-error.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { getDbError } from '../../kernel/db/driver/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';
import * as store from './passkeys.store.ts';

/** Relying party of WebAuthn: the host name of the console and the origin of its pages. */
interface RelyingParty {
  id: string;
  origin: string;
}

/** Loaded with the first passkey, for the memory and the start of services that have none (decision 0043). */
const loadWebAuthn = () => import('@simplewebauthn/server');

const RELYING_PARTY_NAME = 'Steward';
/** COSE identifiers of EdDSA, ES256 and RS256. */
const COSE_ALGORITHMS = [-8, -7, -257];

/**
 * Whether passkeys can work at this address: they are bound to a host name, which an IP address is not (WebAuthn 3,
 * 5.1.2).
 */
export const arePasskeysAvailable = (publicUrl: string): boolean => getRelyingParty(publicUrl) !== undefined;

function getRelyingParty(publicUrl: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(publicUrl);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) ? undefined : { id: hostname, origin };
}

function requireRelyingParty(publicUrl: string): RelyingParty {
  const party = getRelyingParty(publicUrl);
  if (!party) throw conflict('Passkeys require a host name, and this console is opened by IP address');
  return party;
}

export const toPasskey = (passkey: store.StoredPasskey): Passkey => ({
  id: passkey.id,
  name: passkey.name,
  createdDate: passkey.createdAt.toISOString(),
  lastUsedDate: passkey.lastUsedAt?.toISOString() ?? null,
  isSynced: passkey.isSynced,
});

const toCredentialDescriptor = ({ credentialId, transports }: store.StoredPasskey) => ({
  id: credentialId,
  transports: parseTransports(transports),
});

/** Options for `navigator.credentials.create`; saves the challenge. @throws ApiError 409 without a host name */
export async function createRegistrationOptions(
  db: Db,
  publicUrl: string,
  user: { userId: number; email: string },
): Promise<PasskeyOptions> {
  const party = requireRelyingParty(publicUrl);
  const passkeys = await store.listPasskeys(db, user.userId);
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: RELYING_PARTY_NAME,
    rpID: party.id,
    userID: new Uint8Array(hashSecret(`passkeys of ${user.userId}`)),
    userName: user.email,
    attestationType: 'none',
    supportedAlgorithmIDs: COSE_ALGORITHMS,
    excludeCredentials: passkeys.map(toCredentialDescriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  await store.saveChallenge(db, options.challenge, 'register', user.userId);
  return { ...options };
}

/** Verifies the response to a registration challenge. Returns undefined if it is invalid in any way. */
export async function verifyRegistration(
  db: Db,
  publicUrl: string,
  { userId, answer }: { userId: number; answer: PasskeyAnswer },
): Promise<Omit<Parameters<typeof store.insertPasskey>[1], 'name'> | undefined> {
  const party = requireRelyingParty(publicUrl);
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const result = await undefinedOnRefusal(() =>
    verifyRegistrationResponse({
      response: toRegistrationResponse(answer),
      expectedChallenge: (challenge) => store.consumeChallenge(db, challenge, 'register', userId),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      supportedAlgorithmIDs: COSE_ALGORITHMS,
      requireUserVerification: false,
    }),
  );
  if (!result?.verified) return undefined;
  const { credential, credentialBackedUp } = result.registrationInfo;
  return {
    userId,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: [...(credential.transports ?? [])],
    isSynced: credentialBackedUp,
  };
}

/**
 * Options for `navigator.credentials.get`; saves the challenge. With a user id only passkeys of this user are accepted,
 * with `null` (sign-in without a name) any. @throws ApiError 409 without a host name, or if the user has no passkey
 */
export async function createProofOptions(
  db: Db,
  publicUrl: string,
  userId: number | null,
): Promise<PasskeyOptions> {
  const party = requireRelyingParty(publicUrl);
  const passkeys = userId === null ? [] : await store.listPasskeys(db, userId);
  if (userId !== null && passkeys.length === 0) throw conflict('You have no passkey');
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: passkeys.map(toCredentialDescriptor),
    // Used alone, a passkey replaces password and second factor; after a password, presence is enough.
    userVerification: userId === null ? 'required' : 'preferred',
  });
  await store.saveChallenge(db, options.challenge, userId === null ? 'sign-in' : 'prove', userId);
  return { ...options };
}

/**
 * Verifies the response to a proof challenge exactly once and returns the id of the user, or undefined if it is
 * invalid. With `userId` null any user is accepted, provided that the authenticator verified them.
 */
export async function consumePasskeyProof(
  tx: Tx,
  publicUrl: string,
  { userId, answer }: { userId: number | null; answer: PasskeyAnswer },
): Promise<number | undefined> {
  const party = requireRelyingParty(publicUrl);
  const passkey = await store.findPasskey(tx, answer.id);
  if (!passkey || (userId !== null && passkey.userId !== userId)) return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const result = await undefinedOnRefusal(() =>
    verifyAuthenticationResponse({
      response: toAuthenticationResponse(answer),
      expectedChallenge: (challenge) =>
        store.consumeChallenge(tx, challenge, userId === null ? 'sign-in' : 'prove', userId),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
        transports: parseTransports(passkey.transports),
      },
      requireUserVerification: userId === null,
    }),
  );
  if (!result?.verified) return undefined;
  const isFresh = await store.recordPasskeyUse(tx, passkey.id, result.authenticationInfo.newCounter);
  return isFresh ? passkey.userId : undefined;
}

/** Whether the user has the passkey at present. */
export const hasPasskey = async (tx: Tx, userId: number, credentialId: string): Promise<boolean> =>
  (await store.findPasskey(tx, credentialId))?.userId === userId;

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Copies the members that the library reads; the others are the browser's concern. */
const toRegistrationResponse = ({ id, rawId, type, response }: PasskeyAnswer): RegistrationResponseJSON => ({
  id,
  rawId,
  type,
  clientExtensionResults: {},
  response: {
    clientDataJSON: toText(response['clientDataJSON']),
    attestationObject: toText(response['attestationObject']),
    transports: parseTransports(response['transports']),
  },
});

const toAuthenticationResponse = ({
  id,
  rawId,
  type,
  response,
}: PasskeyAnswer): AuthenticationResponseJSON => ({
  id,
  rawId,
  type,
  clientExtensionResults: {},
  response: {
    clientDataJSON: toText(response['clientDataJSON']),
    authenticatorData: toText(response['authenticatorData']),
    signature: toText(response['signature']),
  },
});

const TRANSPORTS: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];

const parseTransports = (value: unknown): AuthenticatorTransport[] =>
  Array.isArray(value) ? TRANSPORTS.filter((each) => value.includes(each)) : [];

/** Maps every error of the verification library to undefined: all of them mean an invalid response. */
async function undefinedOnRefusal<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (error) {
    // An error of the database is not an invalid response.
    if (getDbError(error)) throw error;
    return undefined;
  }
}
