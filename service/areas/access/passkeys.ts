import { isIP } from 'node:net';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Passkey, PasskeyAnswer, PasskeyOptions } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorOf } from '../../kernel/db/errors.ts';
import { conflict } from '../../kernel/http/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';
import * as store from './passkeys.store.ts';

/** For whom passkeys are made: the host of the console, and where its pages come from. */
interface RelyingParty {
  id: string;
  origin: string;
}

const NAME = 'Steward';
/** EdDSA, ES256 and RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** Whether passkeys can work here: they belong to a host name, and an IP address is none (WebAuthn 3, 5.1.2). */
export const passkeysOffered = (publicUrl: string): boolean => partyOf(publicUrl) !== undefined;

function partyOf(publicUrl: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(publicUrl);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) ? undefined : { id: hostname, origin };
}

function requireParty(publicUrl: string): RelyingParty {
  const party = partyOf(publicUrl);
  if (!party) throw conflict('Passkeys belong to a host name, and this console is reached by an IP address');
  return party;
}

export const shownPasskey = (passkey: store.StoredPasskey): Passkey => ({
  id: passkey.id,
  name: passkey.name,
  createdDate: passkey.createdAt.toISOString(),
  lastUsedDate: passkey.lastUsedAt?.toISOString() ?? null,
  isSynced: passkey.isSynced,
});

const described = ({ credentialId, transports }: store.StoredPasskey) => ({
  id: credentialId,
  transports: transportsOf(transports),
});

/** Options to make a passkey with. */
export async function registrationOptions(
  db: Db,
  publicUrl: string,
  who: { userId: number; email: string },
): Promise<PasskeyOptions> {
  const party = requireParty(publicUrl);
  const own = await store.listPasskeys(db, who.userId);
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: party.id,
    userID: new Uint8Array(hashSecret(`passkeys of ${who.userId}`)),
    userName: who.email,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: own.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  await store.keepChallenge(db, options.challenge, 'register', who.userId);
  return { ...options };
}

/** What an authenticator made, checked against its challenge; undefined for everything that does not fit. */
export async function checkRegistration(
  db: Db,
  publicUrl: string,
  { userId, answer }: { userId: number; answer: PasskeyAnswer },
): Promise<Omit<Parameters<typeof store.insertPasskey>[1], 'name'> | undefined> {
  const party = requireParty(publicUrl);
  const result = await orNothing(() =>
    verifyRegistrationResponse({
      response: asRegistration(answer),
      expectedChallenge: (challenge) => store.takeChallenge(db, challenge, 'register', userId),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      supportedAlgorithmIDs: ALGORITHMS,
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

/** Options to prove oneself with a passkey: one of the person's, or with `null` whoever has one. */
export async function proofOptions(
  db: Db,
  publicUrl: string,
  userId: number | null,
): Promise<PasskeyOptions> {
  const party = requireParty(publicUrl);
  const own = userId === null ? [] : await store.listPasskeys(db, userId);
  if (userId !== null && own.length === 0) throw conflict('You have no passkey');
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: own.map(described),
    // Alone it stands for both factors; after a password its presence is one more.
    userVerification: userId === null ? 'required' : 'preferred',
  });
  await store.keepChallenge(db, options.challenge, userId === null ? 'sign-in' : 'prove', userId);
  return { ...options };
}

/**
 * Takes a proof by passkey, once; answers whose it is. `userId` null: of whoever it is, who must have been verified by
 * the authenticator.
 */
export async function takePasskeyProof(
  tx: Tx,
  publicUrl: string,
  { userId, answer }: { userId: number | null; answer: PasskeyAnswer },
): Promise<number | undefined> {
  const party = requireParty(publicUrl);
  const passkey = await store.findPasskey(tx, answer.id);
  if (!passkey || (userId !== null && passkey.userId !== userId)) return undefined;
  const result = await orNothing(() =>
    verifyAuthenticationResponse({
      response: asAuthentication(answer),
      expectedChallenge: (challenge) =>
        store.takeChallenge(tx, challenge, userId === null ? 'sign-in' : 'prove', userId),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
        transports: transportsOf(passkey.transports),
      },
      requireUserVerification: userId === null,
    }),
  );
  if (!result?.verified) return undefined;
  const isFresh = await store.notePasskeyUse(tx, passkey.id, result.authenticationInfo.newCounter);
  return isFresh ? passkey.userId : undefined;
}

/** Whether the person has this passkey, now. */
export const isPasskeyOf = async (tx: Tx, userId: number, credentialId: string): Promise<boolean> =>
  (await store.findPasskey(tx, credentialId))?.userId === userId;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the library reads of an answer; the rest of it is the browser's business. */
const asRegistration = ({ id, rawId, type, response }: PasskeyAnswer): RegistrationResponseJSON => ({
  id,
  rawId,
  type,
  clientExtensionResults: {},
  response: {
    clientDataJSON: text(response['clientDataJSON']),
    attestationObject: text(response['attestationObject']),
    transports: transportsOf(response['transports']),
  },
});

const asAuthentication = ({ id, rawId, type, response }: PasskeyAnswer): AuthenticationResponseJSON => ({
  id,
  rawId,
  type,
  clientExtensionResults: {},
  response: {
    clientDataJSON: text(response['clientDataJSON']),
    authenticatorData: text(response['authenticatorData']),
    signature: text(response['signature']),
  },
});

const TRANSPORTS: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];

const transportsOf = (given: unknown): AuthenticatorTransport[] =>
  Array.isArray(given) ? TRANSPORTS.filter((each) => given.includes(each)) : [];

/** The library throws for what does not fit, whatever it is: all of that is one refusal. */
async function orNothing<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (error) {
    // The database's own failures are not the authenticator's.
    if (dbErrorOf(error)) throw error;
    return undefined;
  }
}
