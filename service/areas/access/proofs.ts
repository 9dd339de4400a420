import type {
  PasskeyAnswer,
  ProofMethod,
  SecondFactorMethod,
  SecondFactorProof,
} from '../../../contract/generated/types.gen.ts';
import { badRequest, type ApiError } from '../../kernel/api-error.ts';
import { consumeRateLimit, resetRateLimit } from '../../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { FactorKind } from '../../kernel/db/tables/index.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { consumeCode, consumeRecoveryCode } from './codes.ts';
import { hasFactor, type Factors } from './factors.store.ts';
import { consumePasskeyProof } from './passkeys.ts';

/**
 * Limits of wrong codes per user across sign-ins, so that somebody who knows the password cannot retry without end. The
 * daily limit leaves an attacker a chance of about one in 20,000 per day.
 */
const CODE_ATTEMPT_LIMITS = [
  { window: 'quarter', maxCount: 10, windowSeconds: 900 },
  { window: 'day', maxCount: 40, windowSeconds: 86_400 },
] as const;

/**
 * Key of the rate limit. A known browser has a key of its own, so that an attacker who knows the password cannot lock
 * the user out.
 */
const buildThrottleKey = (userId: number, window: string, knownBrowser: Buffer | undefined) =>
  `second-factor:${userId}:${window}${knownBrowser ? `:${knownBrowser.toString('base64url')}` : ''}`;

/** Second factors with which the user can sign in. A recovery code is offered only if there is a factor to replace. */
export function getSecondFactorMethods(factors: Factors): SecondFactorMethod[] {
  if (!hasFactor(factors)) return [];
  return [
    ...(factors.authenticatorAt ? (['code'] as const) : []),
    ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ...(factors.recoveryCodes > 0 ? (['recovery-code'] as const) : []),
  ];
}

/** Ways in which the user can prove presence: the second factor if there is one, otherwise the password. */
export function getProofMethods(factors: Factors, hasPassword: boolean): ProofMethod[] {
  const methods = getSecondFactorMethods(factors);
  if (methods.length > 0) return methods;
  return hasPassword ? ['password'] : [];
}

/**
 * Counts an attempt before its code is checked, so that concurrent attempts are all counted. Passkeys are not counted
 * because they cannot be guessed.
 * @throws ApiError 429
 */
export async function countCodeAttempt(
  db: Db,
  userId: number,
  proof: SecondFactorProof,
  knownBrowser: Buffer | undefined,
): Promise<void> {
  if (proof.passkey) return;
  for (const { window, ...limit } of CODE_ATTEMPT_LIMITS) {
    // The shorter window is counted first.
    await consumeRateLimit(db, buildThrottleKey(userId, window, knownBrowser), limit, 'Too many wrong codes');
  }
}

/** Resets the count after a correct code: the earlier attempts were the user's own mistakes. */
export async function clearCodeAttempts(
  db: Db,
  userId: number,
  knownBrowser: Buffer | undefined,
): Promise<void> {
  for (const { window } of CODE_ATTEMPT_LIMITS) {
    // Two iterations.
    await resetRateLimit(db, buildThrottleKey(userId, window, knownBrowser));
  }
}

/**
 * Verifies the proof of a second factor exactly once. Returns the kind of factor, or undefined if the proof is invalid.
 */
export async function consumeProof(
  tx: Tx,
  { encryption, publicUrl }: Pick<Services, 'encryption' | 'publicUrl'>,
  userId: number,
  proof: SecondFactorProof,
): Promise<FactorKind | undefined> {
  const { code, recoveryCode, passkey } = proof;
  if (code !== undefined) return (await consumeCode(tx, encryption, { userId, code })) ? 'code' : undefined;
  if (recoveryCode !== undefined) {
    const isValid = await consumeRecoveryCode(tx, encryption, { userId, code: recoveryCode });
    return isValid ? 'recovery-code' : undefined;
  }
  if (passkey === undefined) return undefined;
  return (await isOwnPasskeyProof(tx, publicUrl, userId, passkey)) ? 'passkey' : undefined;
}

const isOwnPasskeyProof = async (tx: Tx, publicUrl: string, userId: number, answer: PasskeyAnswer) =>
  (await consumePasskeyProof(tx, publicUrl, { userId, answer })) === userId;

const WRONG_PROOF_MESSAGES: Readonly<Record<string, string>> = {
  code: 'is wrong or was already used: wait for the next one',
  recoveryCode: 'is wrong or was already used',
  passkey: 'is invalid: try again',
  password: 'is wrong',
};

/** 400 that names the invalid field. It is not 401, which would mean that the session has ended. */
export function wrongProofError(proof: object): ApiError {
  const path = Object.keys(proof)[0] ?? 'code';
  return badRequest([{ path, message: WRONG_PROOF_MESSAGES[path] ?? 'is wrong' }]);
}
