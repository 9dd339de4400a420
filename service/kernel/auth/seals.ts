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

const KEY_BYTES = 32;
const NAME_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keeps small secrets that have to be read again, such as the seed of an authenticator app. */
export interface Seals {
  /** Encrypted, and bound to `context`: what is sealed for one person does not open for another. */
  seal(plain: Uint8Array, context: string): Buffer;
  /** @throws Error when it was sealed with another key, for another context, or was changed. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** A keyed hash, for secrets that are looked up and too short for a plain one. */
  mac(text: string, context: string): Buffer;
}

/**
 * The seals of this installation. Their key is the setting STEWARD_SECRET_KEY, which processes that share a database
 * must share as well; without it a file of the data folder that only the service's user can read, made at the first
 * start. A copy of the database alone opens nothing (T14).
 */
export async function openSeals(place: { dataDir: string; key: string | undefined }): Promise<Seals> {
  return sealsOf(place.key === undefined ? await keyIn(place.dataDir) : readKey(place.key));
}

/** The bytes of a key as it is written; undefined where it is none. */
export function secretKeyOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}

function readKey(text: string): Buffer {
  const key = secretKeyOf(text.trim());
  if (!key) throw new Error(`A secret key has ${KEY_BYTES} bytes, written as base64`);
  return key;
}

async function keyIn(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) {
    // Of two processes that start together one makes the file, and none sees it half written.
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
    await link(draft, file).catch((error: unknown) => {
      if (!existsSync(file)) throw error;
    });
    await unlink(draft);
  }
  return readKey(await readFile(file, 'utf8'));
}

/** Seals with this key. */
export function sealsOf(key: Buffer): Seals {
  const name = createHash('sha256').update(key).digest().subarray(0, NAME_BYTES);
  const [cipherKey, macKey] = ['seal', 'mac'].map((use) =>
    Buffer.from(hkdfSync('sha256', key, '', `steward ${use}`, KEY_BYTES)),
  ) as [Buffer, Buffer];
  return {
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([name, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      if (!bytes.subarray(0, NAME_BYTES).equals(name))
        throw new Error(
          'A secret was sealed with another key: set STEWARD_SECRET_KEY, or bring back secret.key of the data folder',
        );
      const iv = bytes.subarray(NAME_BYTES, NAME_BYTES + IV_BYTES);
      const tag = bytes.subarray(NAME_BYTES + IV_BYTES, NAME_BYTES + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, iv)
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([
        decipher.update(bytes.subarray(NAME_BYTES + IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
    },
    mac: (text, context) => createHmac('sha256', macKey).update(`${context}\n${text}`).digest(),
  };
}
