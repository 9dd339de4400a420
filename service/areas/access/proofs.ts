import type {
  PasskeyAnswer,
  ProofMethod,
  SecondFactorMethod,
  SecondFactorProof,
} from '../../../contract/generated/types.gen.ts';
import { countOrRefuse, forget } from '../../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { FactorKind } from '../../kernel/db/tables.ts';
import { invalid, type ApiError } from '../../kernel/http/errors.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { takeCode } from './authenticator.ts';
import { hasFactor, type Factors } from './factors.store.ts';
import { takePasskeyProof } from './passkeys.ts';
import { spendRecoveryCode } from './recovery.ts';

/**
 * Wrong codes of one person, across sign-ins: whoever knows the password cannot begin anew for ever. The longer window
 * leaves about one chance in 20,000 a day.
 */
const WRONG_CODES = [
  { window: 'quarter', limit: 10, seconds: 900 },
  { window: 'day', limit: 40, seconds: 86_400 },
] as const;

/** A browser the person is known by counts for itself: who guesses elsewhere, knowing the password, locks nobody out. */
const keyOf = (userId: number, window: string, from: Buffer | undefined) =>
  `second-factor:${userId}:${window}${from ? `:${from.toString('base64url')}` : ''}`;

/** How the person can give a second factor; a recovery code stands in for one that is there. */
export function secondFactorMethods(factors: Factors): SecondFactorMethod[] {
  if (!hasFactor(factors)) return [];
  return [
    ...(factors.authenticatorAt ? (['code'] as const) : []),
    ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ...(factors.recoveryCodes > 0 ? (['recovery-code'] as const) : []),
  ];
}

/** How the person proves that it is still them: with the second factor where they have one, else the password. */
export function proofMethods(factors: Factors, hasPassword: boolean): ProofMethod[] {
  const methods = secondFactorMethods(factors);
  if (methods.length > 0) return methods;
  return hasPassword ? ['password'] : [];
}

/**
 * Counts a try with a code before it is looked at, so that tries at the same time are all counted. Passkeys are not:
 * nobody guesses those.
 * @throws ApiError 429
 */
export async function countCodeTry(
  db: Db,
  userId: number,
  proof: SecondFactorProof,
  from: Buffer | undefined,
): Promise<void> {
  if (proof.passkey) return;
  for (const { window, ...limit } of WRONG_CODES) {
    // oxlint-disable-next-line no-await-in-loop -- the shorter window first
    await countOrRefuse(db, keyOf(userId, window, from), limit, 'Too many wrong codes');
  }
}

/** A right one: those before it were the person's own mistakes. */
export async function forgetCodeTries(db: Db, userId: number, from: Buffer | undefined): Promise<void> {
  for (const { window } of WRONG_CODES) {
    // oxlint-disable-next-line no-await-in-loop -- two
    await forget(db, keyOf(userId, window, from));
  }
}

/** Takes the proof of a second factor, once and for ever; which one it was, or undefined where it does not hold. */
export async function takeProof(
  tx: Tx,
  { seals, publicUrl }: Pick<Services, 'seals' | 'publicUrl'>,
  userId: number,
  proof: SecondFactorProof,
): Promise<FactorKind | undefined> {
  const { code, recoveryCode, passkey } = proof;
  if (code !== undefined) return (await takeCode(tx, seals, { userId, code })) ? 'code' : undefined;
  if (recoveryCode !== undefined) {
    const taken = await spendRecoveryCode(tx, seals, { userId, code: recoveryCode });
    return taken ? 'recovery-code' : undefined;
  }
  if (passkey === undefined) return undefined;
  return (await provedBy(tx, publicUrl, userId, passkey)) ? 'passkey' : undefined;
}

const provedBy = async (tx: Tx, publicUrl: string, userId: number, answer: PasskeyAnswer) =>
  (await takePasskeyProof(tx, publicUrl, { userId, answer })) === userId;

const WRONG: Readonly<Record<string, string>> = {
  code: 'is wrong, or was used already: wait for the next one',
  recoveryCode: 'is wrong, or was used already',
  passkey: 'does not fit: try again',
  password: 'is wrong',
};

/** 400 that names what was wrong; not 401, which says that the session is over. */
export function wrongProof(proof: object): ApiError {
  const path = Object.keys(proof)[0] ?? 'code';
  return invalid([{ path, message: WRONG[path] ?? 'is wrong' }]);
}
