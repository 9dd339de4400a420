/** Letters of addresses as people have them; others may stand in one, but rather before or after it. */
const LOCAL = /[\p{L}\p{M}\p{N}.+_'-]/u;
/** What the standard allows besides. */
const RARE = /[!#$%&*/=?^`{|}~]/;
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u;
const OUTER = /^[.'-]+|[.'-]+$/g;
const MOST_LOCAL = 64;
const MOST_DOMAIN = 255;

/** An address found in a text. */
export interface FoundEmail {
  email: string;
  /** The same with what may belong to it or to the text around it. */
  longer: string;
  start: number;
  end: number;
}

/** All addresses in a text; each letter is looked at a few times at most, however long the text is. */
export function emailsIn(text: string): FoundEmail[] {
  const found: FoundEmail[] = [];
  let last = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const end = reach(text, at + 1, 1, Math.min(text.length, at + MOST_DOMAIN), isDomain);
    if (end === at + 1) continue;
    const first = Math.max(last, at - MOST_LOCAL);
    const start = reach(text, at, -1, first, isLocal);
    const local = text.slice(start, at).replaceAll(OUTER, '');
    const domain = text.slice(at + 1, end).replaceAll(OUTER, '');
    if (local === '' || !domain.includes('.')) continue;
    found.push({
      email: `${local}@${domain}`,
      longer: `${text.slice(reach(text, at, -1, first, isRare), at)}@${domain}`,
      start,
      end,
    });
    last = end;
  }
  return found;
}

const isDomain = (letter: string): boolean => DOMAIN.test(letter);
const isLocal = (letter: string): boolean => LOCAL.test(letter);
const isRare = (letter: string): boolean => LOCAL.test(letter) || RARE.test(letter);

/** The place up to which the letters from `from` on belong; backwards they are those before it. */
function reach(
  text: string,
  from: number,
  step: 1 | -1,
  limit: number,
  belongs: (letter: string) => boolean,
): number {
  let at = from;
  while (at !== limit && belongs(text[step < 0 ? at - 1 : at] ?? '')) at += step;
  return at;
}
