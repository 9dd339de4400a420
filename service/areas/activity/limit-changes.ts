import { cutText } from '../../../contract/rules/cut-text.ts';

/** Most elements of a list that a value of a change is answered with. */
const MAX_ITEMS = 50;
/** Most characters of a text, and of the JSON of an object, that a value of a change is answered with. */
const MAX_CHARACTERS = 2_000;

/**
 * Cuts the values of an audit row to what a page can show: a deleted group may have had 100,000 members.
 * @returns the changes and whether anything was cut
 */
export function limitChanges(changes: Readonly<Record<string, unknown>>): {
  changes: Record<string, unknown>;
  isShortened: boolean;
} {
  let isShortened = false;
  const shorten = (text: string): string => {
    if (text.length <= MAX_CHARACTERS) return text;
    isShortened = true;
    return `${cutText(text, MAX_CHARACTERS)}…`;
  };
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string') return shorten(value);
    if (Array.isArray(value)) {
      if (value.length > MAX_ITEMS) isShortened = true;
      return value.slice(0, MAX_ITEMS).map(cut);
    }
    if (typeof value !== 'object' || value === null) return value;
    const json = JSON.stringify(value);
    return json.length > MAX_CHARACTERS ? shorten(json) : value;
  };
  const limited = Object.fromEntries(
    Object.entries(changes).map(([property, value]) => [property, cut(value)]),
  );
  return { changes: limited, isShortened };
}
