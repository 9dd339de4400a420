import { foldText } from '../../../contract/rules/fold-text.ts';

type Mode = 'any' | 'id' | 'email' | 'group' | 'license';

/** One condition of a search. */
export interface QueryPart {
  mode: Mode;
  /** Folded text. */
  text: string;
  /** Quoted text, which must equal the whole name, address, group or license. */
  isWhole: boolean;
}

/** A parsed query; a user matches if any term, id or text does. */
export interface ParsedQuery {
  /** Every part of a term must match. */
  terms: readonly (readonly QueryPart[])[];
  /** Ids of a list. With `texts` they are looked up, so a thousand cost as much as one. */
  ids: ReadonlySet<number>;
  /** Full addresses and names of a list. */
  texts: ReadonlySet<string>;
}

const PART_PATTERN = /[,;\n]|(?:(id|email|group|licen[cs]e):[ \t]*)?(?:"([^"\n]*)"?|([^\s,;"]+))/g;
const SEPARATOR = /^[,;\n]$/;
/** A mode without its text, which is ignored while typing. */
const MODE_WITHOUT_TEXT = /^(?:id|email|group|licen[cs]e):$/;
const NUMBER = /^\d+$/;
/** Maximum terms searched by a scan of all users; names of longer lists are looked up as a whole. */
const MAX_SEARCHED_TERMS = 20;

/**
 * Parses a typed query. All words must match: each in the name or e-mail address, or as the id, or as a whole word of
 * the name of a group or license ("finance" finds its members, "fin" does not, as otherwise every first letter would
 * match whole groups). `id:`, `email:`, `group:` and `license:` restrict a word to that property, the last two to any
 * part of the name; a quoted text matches the whole name or address. Commas, semicolons and newlines separate a list.
 */
export function parseSearchText(typed: string): ParsedQuery {
  const terms = parseTerms(typed);
  const ids = new Set<number>();
  const texts = new Set<string>();
  if (terms.length < 2) return { terms, ids, texts };
  const searchedTerms = terms.filter((term) => !addLookup(term, ids, texts));
  if (searchedTerms.length <= MAX_SEARCHED_TERMS) return { terms: searchedTerms, ids, texts };
  for (const term of searchedTerms.filter(isPlainTerm)) texts.add(term.map(({ text }) => text).join(' '));
  return {
    terms: searchedTerms.filter((term) => !isPlainTerm(term)).slice(0, MAX_SEARCHED_TERMS),
    ids,
    texts,
  };
}

function parseTerms(typed: string): QueryPart[][] {
  const terms: QueryPart[][] = [[]];
  for (const [match, mode, quoted, word] of foldText(typed.replaceAll(/[“”„]/g, '"')).matchAll(
    PART_PATTERN,
  )) {
    if (SEPARATOR.test(match)) terms.push([]);
    else if (!MODE_WITHOUT_TEXT.test(match))
      terms.at(-1)?.push({
        mode: parseMode(mode),
        text: quoted?.trim() ?? word ?? '',
        isWhole: quoted !== undefined,
      });
  }
  return terms.map((parts) => parts.filter(({ text }) => text !== '')).filter((parts) => parts.length > 0);
}

function parseMode(typed: string | undefined): Mode {
  if (typed === 'id' || typed === 'email' || typed === 'group') return typed;
  return typed === undefined ? 'any' : 'license';
}

function addLookup([part, ...others]: readonly QueryPart[], ids: Set<number>, texts: Set<string>): boolean {
  if (!part || part.mode !== 'any' || others.length > 0) return false;
  if (part.isWhole || part.text.includes('@')) texts.add(part.text);
  else if (NUMBER.test(part.text)) ids.add(Number(part.text));
  else return false;
  return true;
}

const isPlainTerm = (term: readonly QueryPart[]): boolean => term.every(({ mode }) => mode === 'any');
