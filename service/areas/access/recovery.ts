import { randomBytes } from 'node:crypto';
import type { Seals } from '../../kernel/auth/seals.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { takeRecoveryCode, writeRecoveryCodes } from './factors.store.ts';

const CODES = 10;
/** 16 letters of 5 bits: 80 random bits. Without those that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

function newCode(): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/** As it was shown, however somebody types it. */
const plain = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

const hashOf = (seals: Seals, userId: number, code: string): Buffer =>
  seals.mac(plain(code), `recovery code of ${userId}`);

/** New recovery codes, shown this once; those of before no longer work. */
export async function makeRecoveryCodes(tx: Tx, seals: Seals, userId: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await writeRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOf(seals, userId, code)),
  );
  return codes;
}

/** Takes a recovery code, once. */
export const spendRecoveryCode = (
  tx: Tx,
  seals: Seals,
  { userId, code }: { userId: number; code: string },
): Promise<boolean> => takeRecoveryCode(tx, userId, hashOf(seals, userId, code));
