/** The mail that the service wrote as files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Service } from './service.ts';

const unquoted = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

/** Every mail to this address, the oldest first, its encoding for the way undone. */
async function mailsTo(service: Service, email: string): Promise<string[]> {
  const folder = join(service.place['DATA_DIR'] ?? '', 'mail');
  const files = await readdir(folder).catch(() => []);
  const texts = await Promise.all(
    files
      .filter((file) => file.endsWith('.eml'))
      .toSorted()
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
  return texts.map(unquoted).filter((text) => text.includes(`To: ${email}`));
}

/** The link in the newest mail to this address; mail leaves the outbox a moment after the answer. */
export async function mailedLink(service: Service, email: string, mails = 1): Promise<string> {
  await expect.poll(async () => (await mailsTo(service, email)).length).toBe(mails);
  const text = (await mailsTo(service, email)).at(-1) ?? '';
  const link = /https?:\/\/\S+\/(link|invitation)#[\w-]+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`No link in the mail to ${email}:\n${text}`);
  return link;
}
