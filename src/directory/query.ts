import { fold } from '../lib/fold.ts';

type Mode = 'any' | 'id' | 'email' | 'group' | 'license';

/** One condition of a search. */
export interface Part {
  mode: Mode;
  /** Folded. */
  text: string;
  /** It was quoted: the whole name, address, group or license, not a piece of it. */
  isWhole: boolean;
}

/** Whoever matches one of these is found. */
export interface ParsedQuery {
  /** Each asks for all its parts at once. */
  terms: readonly (readonly Part[])[];
  /** Of a list: ids, and whole addresses and names. They are looked up, so a thousand cost as much as one. */
  ids: ReadonlySet<number>;
  texts: ReadonlySet<string>;
}

const PARTS = /[,;\n]|(?:(id|email|group|licen[cs]e):[ \t]*)?(?:"([^"\n]*)"?|([^\s,;"]+))/g;
const SEPARATOR = /^[,;\n]$/;
/** A mode whose text is still to be typed asks for nothing yet. */
const ONLY_MODE = /^(?:id|email|group|licen[cs]e):$/;
const NUMBER = /^\d+$/;
/** Names of a longer list are looked up whole; each that is searched costs a walk through everybody. */
const SEARCHED = 20;

/**
 * Reads what was typed. Words must all occur, each in the name or the e-mail address, or be the id, or stand as a
 * word in the name of the group or license: "finance" finds its members, "fin" nobody for their group, or each
 * first letter would bring whole groups. `id:`, `email:`, `group:` and `license:` look there alone, the last two
 * for a piece of the name; a quoted text is the whole name or address. Commas, semicolons and lines part a list.
 */
export function parseQuery(typed: string): ParsedQuery {
  const terms = termsOf(typed);
  const ids = new Set<number>();
  const texts = new Set<string>();
  if (terms.length < 2) return { terms, ids, texts };
  const searched = terms.filter((term) => !noteLookup(term, ids, texts));
  if (searched.length <= SEARCHED) return { terms: searched, ids, texts };
  for (const term of searched.filter(isPlain)) texts.add(term.map(({ text }) => text).join(' '));
  return { terms: searched.filter((term) => !isPlain(term)).slice(0, SEARCHED), ids, texts };
}

function termsOf(typed: string): Part[][] {
  const terms: Part[][] = [[]];
  for (const [found, mode, quoted, word] of fold(typed.replaceAll(/[“”„]/g, '"')).matchAll(PARTS)) {
    if (SEPARATOR.test(found)) terms.push([]);
    else if (!ONLY_MODE.test(found))
      terms.at(-1)?.push({
        mode: modeOf(mode),
        text: quoted?.trim() ?? word ?? '',
        isWhole: quoted !== undefined,
      });
  }
  return terms.map((parts) => parts.filter(({ text }) => text !== '')).filter((parts) => parts.length > 0);
}

function modeOf(typed: string | undefined): Mode {
  if (typed === 'id' || typed === 'email' || typed === 'group') return typed;
  return typed === undefined ? 'any' : 'license';
}

function noteLookup([part, ...others]: readonly Part[], ids: Set<number>, texts: Set<string>): boolean {
  if (!part || part.mode !== 'any' || others.length > 0) return false;
  if (part.isWhole || part.text.includes('@')) texts.add(part.text);
  else if (NUMBER.test(part.text)) ids.add(Number(part.text));
  else return false;
  return true;
}

const isPlain = (term: readonly Part[]): boolean => term.every(({ mode }) => mode === 'any');
