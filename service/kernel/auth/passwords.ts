import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { validatePassword } from '../../../contract/rules/people/users.ts';
import { retryLater } from '../api-error.ts';
import { PARALLEL_HASHES } from './hash-threads.ts';

/** OWASP's minimum for Argon2id; 10 ms on the development machine. The package's default algorithm and version are Argon2id, 19. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
/** Each hash takes a core and 19 MiB. The queue is short: waiting longer would be an outage. */
const MAX_WAITING_HASHES = 20;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs the work when fewer than PARALLEL_HASHES are running. @throws ApiError 503 when the queue is full */
async function runQueued<T>(work: () => Promise<T>): Promise<T> {
  if (running >= PARALLEL_HASHES) {
    if (waiting.length >= MAX_WAITING_HASHES)
      throw retryLater(503, 'Too many users are signing in right now', 2);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** Hashes a password into a PHC string: algorithm, cost, salt and hash. */
export const hashPassword = (password: string): Promise<string> =>
  runQueued(() => hash(password.normalize('NFC'), COST));

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** A random hash. Verifying against it takes as long as against a real one, so timing does not reveal whether an account exists (T12). */
const DUMMY_HASH = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${toBase64(randomBytes(16))}$${toBase64(randomBytes(COST.outputLen))}`;

const ARGON2ID_HASH = /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/;

/**
 * Whether the password matches the stored PHC string, with the cost that it names; for null it takes the same time and returns false.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const expected = stored ?? DUMMY_HASH;
  if (!ARGON2ID_HASH.test(expected)) return false;
  const matches = await runQueued(() => verify(expected, password.normalize('NFC')));
  return stored !== null && matches;
}

let commonPasswordCache: ReadonlySet<string> | undefined;

/** The most common passwords in lower case; loaded when the first new password is checked. */
const loadCommonPasswords = (): ReadonlySet<string> =>
  (commonPasswordCache ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean),
  ));

/** Words of this product, which attackers try as well. */
const PRODUCT_WORDS = new Set(['steward', 'console', 'administrator']);

/** "abcabcabc" → "abc": repeating a short text does not make it harder to guess. */
const removeRepetition = (text: string): string => /^(.{1,8}?)\1+$/.exec(text)?.[1] ?? text;

/** "!!word2026" → "word": people add digits and punctuation to a rejected word. */
const trimNonLetters = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

const MIN_WORD_LENGTH = 5;

/** Whether the password is one of the most common, or one of them repeated or extended by digits and punctuation (T13). */
function isCommon(password: string): boolean {
  const text = password.normalize('NFC').toLowerCase();
  const once = removeRepetition(text);
  const forms = [
    text,
    once,
    trimNonLetters(text),
    removeRepetition(trimNonLetters(text)),
    trimNonLetters(once),
  ];
  const words = forms.filter((form) => form.length >= MIN_WORD_LENGTH);
  // A few characters repeated.
  if (once.length < MIN_WORD_LENGTH) return true;
  return words.some((form) => loadCommonPasswords().has(form) || PRODUCT_WORDS.has(form));
}

/** Why a new password is not allowed, apart from its length, which the contract limits; undefined if it is allowed. */
export function validateNewPassword(password: string, email: string | undefined): string | undefined {
  const issue = validatePassword(password, email);
  if (issue !== undefined) return issue;
  return isCommon(password)
    ? 'is one of the most common passwords: choose another, such as four random words'
    : undefined;
}

/** Longer than verifying a password and recording the failure takes. */
export const UNIFORM_DELAY_MS = 150;

/**
 * Starts a delay of constant length. Responses that must not reveal whether an e-mail address is known wait for it: otherwise the
 * writes for a known address would show in the response time (T12).
 */
export const startUniformDelay = (): Promise<void> => sleep(UNIFORM_DELAY_MS, undefined, { ref: false });
