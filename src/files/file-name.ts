import { fold } from '../lib/fold.ts';

const MOST = 80;

/** `users-license-standard-2026-11-21.csv`: what was asked for and when, in letters that every system takes. */
export function fileName(
  subject: string,
  filter: string | undefined,
  extension: string,
  at = new Date(),
): string {
  const words = fold(filter ?? '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MOST)
    .replaceAll(/^-+|-+$/g, '');
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${[subject, words, ...date].filter((part) => part !== '').join('-')}.${extension}`;
}
