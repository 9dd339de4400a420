import { readFileSync } from 'node:fs';
import { passwordFault } from '../../../contract/rules/passwords.ts';

let known: ReadonlySet<string> | undefined;

/** The list that every guesser begins with; read at the first new password. */
const commonPasswords = (): ReadonlySet<string> =>
  (known ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean),
  ));

/** Words of this product, which a guesser of its passwords tries as well. */
const OWN_WORDS = new Set(['steward', 'console', 'administrator']);

/** A short text over and over is as easily guessed as once. */
const repeated = (text: string): string => /^(.{1,8}?)\1+$/.exec(text)?.[1] ?? text;

/** Digits and signs at the ends are what people add to a word that is refused. */
const bare = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

const SHORTEST_WORD = 5;

/**
 * Whether the password is one of the most common, or one of them made longer the way everybody does: repeated, or with
 * digits and signs at its ends. With twelve characters at least these are what is left of the list (T13).
 */
function isCommon(password: string): boolean {
  const text = password.normalize('NFC').toLowerCase();
  const once = repeated(text);
  const forms = [text, once, bare(text), repeated(bare(text)), bare(once)];
  const words = forms.filter((form) => form.length >= SHORTEST_WORD);
  // Nothing but a few letters under digits and signs, or a few characters over and over.
  if (once.length < SHORTEST_WORD) return true;
  return words.some((form) => commonPasswords().has(form) || OWN_WORDS.has(form));
}

/** What is wrong with a new password besides its length, which the contract states; undefined when nothing is. */
export function newPasswordFault(password: string, email: string | undefined): string | undefined {
  const fault = passwordFault(password, email);
  if (fault !== undefined) return fault;
  return isCommon(password) ? 'is one of the most common: choose another one, such as four words' : undefined;
}
