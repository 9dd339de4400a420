import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSecretKey, SECRET_KEY_BYTES } from '../secret.ts';

const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encryption of small secrets that must be read again, such as the seed of an authenticator app. */
export interface Encryption {
  /** Encrypts with AES-256-GCM, bound to `context`: the ciphertext of one user cannot be decrypted for another. */
  encrypt(plaintext: Uint8Array, context: string): Buffer;
  /** @throws Error for another key, another context or a modified ciphertext */
  decrypt(ciphertext: Uint8Array, context: string): Buffer;
  /** Keyed hash, for secrets that are looked up by hash and too short for an unkeyed one. */
  computeMac(text: string, context: string): Buffer;
}

/**
 * The encryption of this installation. `key` is the setting STEWARD_SECRET_KEY, which all processes on one database must share.
 * Without it the key is a file in the data folder that only the service's user can read, created at the first start. A copy of the
 * database alone therefore reveals no secrets (T14).
 */
export async function loadEncryption(options: {
  dataDir: string;
  key: string | undefined;
}): Promise<Encryption> {
  const { dataDir, key } = options;
  return createEncryption(key === undefined ? await loadOrCreateKey(dataDir) : requireSecretKey(key));
}

function requireSecretKey(
  text: string,
  message = `A secret key has ${SECRET_KEY_BYTES} bytes, encoded as base64`,
): Buffer {
  const key = parseSecretKey(text.trim());
  if (!key) throw new Error(message);
  return key;
}

async function loadOrCreateKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) {
    // If two processes start at the same time, one creates the file, and neither reads an incomplete one.
    const temporaryFile = `${file}.${randomUUID()}`;
    await writeFile(temporaryFile, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
    await link(temporaryFile, file).catch((error: unknown) => {
      if (!existsSync(file)) throw error;
    });
    await unlink(temporaryFile);
  }
  return requireSecretKey(
    await readFile(file, 'utf8'),
    `${file} is damaged: it must have ${SECRET_KEY_BYTES} bytes as base64. Restore it from a copy: without this key stored secrets cannot be read.`,
  );
}

/** Encryption with a given key. A ciphertext consists of key id, initialization vector, authentication tag and content. */
export function createEncryption(key: Buffer): Encryption {
  const keyId = createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
  const [cipherKey, macKey] = ['seal', 'mac'].map((purpose) =>
    Buffer.from(hkdfSync('sha256', key, '', `steward ${purpose}`, SECRET_KEY_BYTES)),
  ) as [Buffer, Buffer];
  return {
    encrypt(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, iv).setAAD(Buffer.from(context));
      const content = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([keyId, iv, cipher.getAuthTag(), content]);
    },
    decrypt(ciphertext, context) {
      const bytes = Buffer.from(ciphertext);
      if (!bytes.subarray(0, KEY_ID_BYTES).equals(keyId))
        throw new Error(
          'A secret was encrypted with another key: set STEWARD_SECRET_KEY, or restore secret.key in the data folder',
        );
      const tagStart = KEY_ID_BYTES + IV_BYTES;
      const contentStart = tagStart + TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(KEY_ID_BYTES, tagStart))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(tagStart, contentStart));
      return Buffer.concat([decipher.update(bytes.subarray(contentStart)), decipher.final()]);
    },
    computeMac: (text, context) => createHmac('sha256', macKey).update(`${context}\n${text}`).digest(),
  };
}
