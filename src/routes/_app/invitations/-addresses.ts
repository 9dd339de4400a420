import { emailsIn } from '../../../directory/paste/emails.ts';
import { entryOf, faulty } from './-entry.ts';
import type { Entry } from './-entry.ts';
import { tableIn } from './-table.ts';

const EMPTY_LINE = /\r?\n[^\S\n]*\r?\n/;
const LINE = /\r?\n/;
const BETWEEN = /[\s,;<>()[\]"]+/;
/** Something before the sign: "@channel" is none. */
const MEANT = /[^@\s]@/;
const LONE_DOMAIN = /^[\p{L}\p{N}._-]+\.\p{L}{2,}$/u;

/**
 * Reads a text as it comes: addresses are found in letters, lists and signatures; a part with a heading that names a
 * column of addresses is read as a table, with the type, days and groups of each row.
 */
export const readEntries = (text: string): Entry[] =>
  text.split(EMPTY_LINE).flatMap((part) => tableIn(part) ?? part.split(LINE).flatMap(entriesIn));

/** The addresses of a line, and what stands there like one. */
function entriesIn(line: string): Entry[] {
  const entries: Entry[] = [];
  let last = 0;
  const whole = line.trim();
  for (const { email, longer, start, end } of emailsIn(line)) {
    entries.push(...meant(line.slice(last, start)), entryOf(longer === whole ? longer : email));
    last = end;
  }
  entries.push(...meant(line.slice(last)));
  return entries.length === 0 && LONE_DOMAIN.test(whole) ? [faulty(whole)] : entries;
}

const meant = (rest: string): Entry[] =>
  rest
    .split(BETWEEN)
    .filter((word) => MEANT.test(word))
    .map((word) => faulty(word));
