import { randomBytes } from 'node:crypto';
import type { Encryption } from '../../kernel/auth/encryption.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { deleteRecoveryCode, replaceRecoveryCodes } from './factors.store.ts';
import * as store from './factors.store.ts';

/** Loaded with the first second factor, for the memory and the start of services (decision 0043). */
const loadOtp = () => import('otplib');

const ISSUER = 'Steward';
/**
 * Seconds for which the code of the previous time step is still accepted, so that the user has time to type it. Codes
 * of future steps are rejected: the clock of the database is the only one (T14).
 */
const CODE_GRACE_SECONDS = 10;
/**
 * Checked before the library sees the code: it ignores spaces, so that one code could be used twice in two spellings.
 */
const CODE_PATTERN = /^[0-9]{6}$/;

const getSealContext = (userId: number) => `authenticator of ${userId}`;

/** Creates and stores a pending seed for an authenticator app. Returns what the user enters into the app or scans. */
export async function startAuthenticatorSetup(
  db: Db,
  seals: Encryption,
  user: { userId: number; email: string },
): Promise<{ secret: string; otpauthUri: string }> {
  const { generateSecret, generateURI } = await loadOtp();
  const secret = generateSecret();
  await store.savePendingSeed(
    db,
    user.userId,
    seals.encrypt(Buffer.from(secret), getSealContext(user.userId)),
  );
  return { secret, otpauthUri: generateURI({ issuer: ISSUER, label: user.email, secret }) };
}

/** Returns the time step to which a code belongs, or undefined if the code is not valid now. */
async function findTimeStep(secret: string, code: string, nowSeconds: number): Promise<number | undefined> {
  if (!CODE_PATTERN.test(code)) return undefined;
  const { verify } = await loadOtp();
  const result = await verify({
    secret,
    token: code,
    epoch: nowSeconds,
    epochTolerance: [CODE_GRACE_SECONDS, 0],
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

interface CodeAttempt {
  userId: number;
  code: string;
}

/** Accepts a code of the user's authenticator app exactly once. Returns false for any other code. */
export async function consumeCode(
  tx: Tx,
  seals: Encryption,
  { userId, code }: CodeAttempt,
): Promise<boolean> {
  const stored = await store.readSeed(tx, userId, 'seed');
  if (!stored) return false;
  const secret = seals.decrypt(stored.seed, getSealContext(userId)).toString();
  const step = await findTimeStep(secret, code, stored.seconds);
  return step !== undefined && store.consumeTimeStep(tx, userId, step);
}

/**
 * Activates the pending authenticator app with its first code. Returns false for a wrong code and undefined if no setup
 * was started.
 */
export async function confirmAuthenticatorSetup(
  tx: Tx,
  seals: Encryption,
  { userId, code }: CodeAttempt,
): Promise<boolean | undefined> {
  const pending = await store.readSeed(tx, userId, 'next_seed');
  if (!pending) return undefined;
  const secret = seals.decrypt(pending.seed, getSealContext(userId)).toString();
  const step = await findTimeStep(secret, code, pending.seconds);
  return step !== undefined && store.activatePendingSeed(tx, userId, pending.seed, step);
}

const RECOVERY_CODE_COUNT = 10;
/** 32 characters (5 bits each) without look-alikes: 16 of them are 80 random bits. */
const RECOVERY_CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const RECOVERY_CODE_LENGTH = 16;

function generateRecoveryCode(): string {
  const letters = Array.from(
    randomBytes(RECOVERY_CODE_LENGTH),
    (byte) => RECOVERY_CODE_ALPHABET[byte % RECOVERY_CODE_ALPHABET.length],
  ).join('');
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/** Brings a typed code into the form in which it was generated: upper case, without spaces and hyphens. */
const normalizeRecoveryCode = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

const hashRecoveryCode = (seals: Encryption, userId: number, code: string): Buffer =>
  seals.computeMac(normalizeRecoveryCode(code), `recovery code of ${userId}`);

/** Replaces the user's recovery codes and returns the new ones in plain text, which is available only now. */
export async function createRecoveryCodes(tx: Tx, seals: Encryption, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, generateRecoveryCode);
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashRecoveryCode(seals, userId, code)),
  );
  return codes;
}

/** Accepts a recovery code exactly once. */
export const consumeRecoveryCode = (
  tx: Tx,
  seals: Encryption,
  { userId, code }: { userId: number; code: string },
): Promise<boolean> => deleteRecoveryCode(tx, userId, hashRecoveryCode(seals, userId, code));
