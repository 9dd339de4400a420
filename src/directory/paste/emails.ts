/** Usual characters of the local part; others are allowed but more often surround an address. */
const LOCAL_CHARACTER = /[\p{L}\p{M}\p{N}.+_'-]/u;
/** Further characters that RFC 5322 allows. */
const RARE_LOCAL_CHARACTER = /[!#$%&*/=?^`{|}~]/;
const DOMAIN_CHARACTER = /[\p{L}\p{M}\p{N}.-]/u;
const OUTER_PUNCTUATION = /^[.'-]+|[.'-]+$/g;
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;

/** An address found in a text. */
export interface FoundEmail {
  email: string;
  /** The address with adjacent characters that belong either to it or to the surrounding text. */
  longer: string;
  start: number;
  end: number;
}

/** Finds all addresses in a text, in linear time. */
export function findEmails(text: string): FoundEmail[] {
  const emails: FoundEmail[] = [];
  let last = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const end = findBoundary(
      text,
      at + 1,
      1,
      Math.min(text.length, at + MAX_DOMAIN_LENGTH),
      isDomainCharacter,
    );
    if (end === at + 1) continue;
    const first = Math.max(last, at - MAX_LOCAL_LENGTH);
    const start = findBoundary(text, at, -1, first, isLocalCharacter);
    const local = text.slice(start, at).replaceAll(OUTER_PUNCTUATION, '');
    const domain = text.slice(at + 1, end).replaceAll(OUTER_PUNCTUATION, '');
    if (local === '' || !domain.includes('.')) continue;
    emails.push({
      email: `${local}@${domain}`,
      longer: `${text.slice(findBoundary(text, at, -1, first, isAnyLocalCharacter), at)}@${domain}`,
      start,
      end,
    });
    last = end;
  }
  return emails;
}

const isDomainCharacter = (letter: string): boolean => DOMAIN_CHARACTER.test(letter);
const isLocalCharacter = (letter: string): boolean => LOCAL_CHARACTER.test(letter);
const isAnyLocalCharacter = (letter: string): boolean =>
  LOCAL_CHARACTER.test(letter) || RARE_LOCAL_CHARACTER.test(letter);

/** Returns the end of the run of accepted characters from `from` in the direction of `step`. */
function findBoundary(
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
