import { hash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

const MASK = '***';

/** A value that cannot be printed by accident: every conversion to text results in `***`; `reveal()` returns the value. */
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
 * Creates a bearer secret (session, token, key, link) of 256 random bits. Because it cannot be guessed, a fast hash is sufficient for
 * storing it.
 */
export function createSecret(): { plain: string; hash: Buffer } {
  const plain = randomBytes(32).toString('base64url');
  return { plain, hash: hashSecret(plain) };
}

/** The hash by which a bearer secret is stored and looked up. */
export function hashSecret(plain: string): Buffer {
  return hash('sha256', plain, 'buffer');
}

export const SECRET_KEY_BYTES = 32;

/** Decodes a base64 key (STEWARD_SECRET_KEY); undefined if it does not have 32 bytes. */
export function parseSecretKey(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === SECRET_KEY_BYTES ? bytes : undefined;
}
