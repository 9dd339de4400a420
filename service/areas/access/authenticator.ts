import { generateSecret, generateURI, verify } from 'otplib';
import type { Seals } from '../../kernel/auth/seals.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import * as store from './factors.store.ts';

const ISSUER = 'Steward';
/**
 * The code of the present half minute is taken, and that of the one before for ten seconds more: somebody has to type
 * it. None of the future: the clock is the database's, one for all processes (T14).
 */
const LATE_SECONDS = 10;
/** Before anything else looks at it: a library that forgives spaces would take one code twice. */
const CODE = /^[0-9]{6}$/;

const contextOf = (userId: number) => `authenticator of ${userId}`;

/** A new seed for an app; what the person has to bring to it. */
export async function beginAuthenticator(
  db: Db,
  seals: Seals,
  who: { userId: number; email: string },
): Promise<{ secret: string; otpauthUri: string }> {
  const secret = generateSecret();
  await store.writeNextSeed(db, who.userId, seals.seal(Buffer.from(secret), contextOf(who.userId)));
  return { secret, otpauthUri: generateURI({ issuer: ISSUER, label: who.email, secret }) };
}

/** The time step whose code this is; undefined when it is none that is taken now. */
async function stepOf(secret: string, code: string, seconds: number): Promise<number | undefined> {
  if (!CODE.test(code)) return undefined;
  const result = await verify({ secret, token: code, epoch: seconds, epochTolerance: [LATE_SECONDS, 0] });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

interface Asked {
  userId: number;
  code: string;
}

/** Takes a code of the person's app, once and for ever; false for every other. */
export async function takeCode(tx: Tx, seals: Seals, { userId, code }: Asked): Promise<boolean> {
  const kept = await store.readSeed(tx, userId, 'seed');
  if (!kept) return false;
  const secret = seals.open(kept.seed, contextOf(userId)).toString();
  const step = await stepOf(secret, code, kept.seconds);
  return step !== undefined && store.takeStep(tx, userId, step);
}

/** The app that was begun counts from its first code on; false for a wrong one, undefined when none was begun. */
export async function confirmAuthenticator(
  tx: Tx,
  seals: Seals,
  { userId, code }: Asked,
): Promise<boolean | undefined> {
  const next = await store.readSeed(tx, userId, 'next_seed');
  if (!next) return undefined;
  const secret = seals.open(next.seed, contextOf(userId)).toString();
  const step = await stepOf(secret, code, next.seconds);
  return step !== undefined && store.keepNextSeed(tx, userId, next.seed, step);
}
