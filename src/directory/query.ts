import { fold } from '../lib/fold.ts';
import type { DirectoryRow } from './row.ts';

type Test = (row: DirectoryRow) => boolean;

const SEPARATORS = /[,;\n]+/;
const MODE = /^(id|email):\s*(.*)$/s;
const QUOTED = /^"([^"]*)"?$/;
const WHOLE = /^\d+$/;

/**
 * Reads what was typed: words that must all occur in name or e-mail; `id:` and `email:`; a quoted text for the
 * whole name or address; a list of any of these, parted by commas or lines, for whoever matches one.
 */
export function compileQuery(typed: string): Test | undefined {
  const terms = typed
    .split(SEPARATORS)
    .map((term) => fold(term.trim()))
    .filter((term) => term !== '');
  const [only] = terms;
  if (only === undefined) return undefined;
  return terms.length === 1 ? compileTerm(only) : compileList(terms);
}

function compileTerm(term: string): Test {
  const [, mode, wanted = ''] = MODE.exec(term) ?? [];
  if (mode === 'id') return (row) => String(row.id) === wanted;
  if (mode === 'email') return compileEmail(wanted);
  const exact = QUOTED.exec(term)?.[1];
  if (exact !== undefined)
    return ({ foldedName, foldedEmail }) => foldedName === exact || foldedEmail === exact;
  const words = term.split(/\s+/);
  const id = WHOLE.test(term) ? Number(term) : undefined;
  return ({ id: own, foldedName, foldedEmail }) =>
    own === id || words.every((word) => foldedName.includes(word) || foldedEmail.includes(word));
}

function compileEmail(wanted: string): Test {
  const exact = QUOTED.exec(wanted)?.[1];
  return ({ foldedEmail }) => (exact === undefined ? foldedEmail.includes(wanted) : foldedEmail === exact);
}

/** Addresses and ids of a pasted list are looked up, not searched: a thousand cost as much as one. */
function compileList(terms: readonly string[]): Test {
  const emails = new Set(terms.filter((term) => term.includes('@') && !term.includes(':')));
  const ids = new Set(terms.filter((term) => WHOLE.test(term)).map(Number));
  const others = terms.filter((term) => !emails.has(term) && !WHOLE.test(term)).map(compileTerm);
  return (row) => emails.has(row.foldedEmail) || ids.has(row.id) || others.some((test) => test(row));
}
