import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { promisify } from 'node:util';
import { retryLater } from '../http/errors.ts';

/** OWASP's minimum for Argon2id; 34 ms on the machine it was chosen on. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
/** Two at a time, because each takes a core and 19 MiB; a short queue, because a long one is an outage. */
const AT_ONCE = 2;
const QUEUE = 20;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= QUEUE) throw retryLater(503, 'Too many people are signing in at this moment', 2);
    await new Promise<void>((start) => waiting.push(start));
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** The PHC text of a password: algorithm, cost, salt and hash in one line. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await inTurn(() => derive('argon2id', { message: password.normalize('NFC'), nonce, ...COST }));
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** A hash nobody's password has: checking against it takes as long as a real check (T12, no telling who exists). */
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(randomBytes(16))}$${base64(randomBytes(32))}`;

/** Whether the password fits the stored PHC text; without one it takes the same time and is false. */
export async function checkPassword(password: string, stored: string | null): Promise<boolean> {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored ?? NOBODY);
  if (!found) return false;
  const [, memory, passes, parallelism, salt = '', hash = ''] = found;
  const expected = Buffer.from(hash, 'base64');
  const tag = await inTurn(() =>
    derive('argon2id', {
      message: password.normalize('NFC'),
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expected.length,
    }),
  );
  return stored !== null && timingSafeEqual(tag, expected);
}
