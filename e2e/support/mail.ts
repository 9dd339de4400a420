/** Mail that the service wrote as files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Service } from './service.ts';

const decodeQuotedPrintable = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

/** Reads all mails to an address, oldest first, decoded. */
async function readMailsTo(service: Service, email: string): Promise<string[]> {
  const folder = join(service.storageEnv['DATA_DIR'] ?? '', 'mail');
  const files = await readdir(folder).catch(() => []);
  const texts = await Promise.all(
    files
      .filter((file) => file.endsWith('.eml'))
      .toSorted()
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
  return texts.map(decodeQuotedPrintable).filter((text) => text.includes(`To: ${email}`));
}

/** Waits for the mails to an address, which leave the outbox after the response, and returns the link of the newest. */
export async function waitForMailedLink(service: Service, email: string, mails = 1): Promise<string> {
  await expect.poll(async () => (await readMailsTo(service, email)).length).toBe(mails);
  const text = (await readMailsTo(service, email)).at(-1) ?? '';
  const link = /https?:\/\/\S+\/(link|invitation)#[\w-]+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`No link in the mail to ${email}:\n${text}`);
  return link;
}

/** Waits for the first mail to an address and returns it, with its headers and both versions. */
export async function waitForMail(service: Service, email: string): Promise<string> {
  await expect.poll(async () => (await readMailsTo(service, email)).length).toBe(1);
  return (await readMailsTo(service, email))[0] ?? '';
}

/** Waits for a mail to an address that contains a match of the pattern, and returns the match. */
export async function waitForMailed(service: Service, email: string, pattern: RegExp): Promise<string> {
  const find = async () => pattern.exec((await readMailsTo(service, email)).join('\n'))?.[0] ?? '';
  await expect.poll(find).not.toBe('');
  return find();
}
