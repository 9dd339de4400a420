import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

const MASK = '***';

/** A value that cannot be printed by accident: every way to text gives `***`, only `reveal()` gives it away. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/**
 * A new bearer secret (session, token, key, link): 256 random bits. A fast hash is enough for storing it, because
 * nobody can guess 256 bits.
 */
export function newSecret(): { plain: string; hash: Buffer } {
  const plain = randomBytes(32).toString('base64url');
  return { plain, hash: hashSecret(plain) };
}

/** The form in which a bearer secret is stored and looked up. */
export function hashSecret(plain: string): Buffer {
  return createHash('sha256').update(plain).digest();
}
