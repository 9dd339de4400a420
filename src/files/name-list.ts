const SEPARATOR = ';';

// Quoted where it would otherwise be read as something else.
const NEEDS_QUOTES = /[;"\r\n]|^\s|\s$/u;

const written = (name: string): string =>
  NEEDS_QUOTES.test(name) || name === '' ? `"${name.replaceAll('"', '""')}"` : name;

/** Names as one text: `Sales; "North; South"`. */
export const joinNames = (names: readonly string[]): string => names.map(written).join(`${SEPARATOR} `);

const ONE = /\s*(?:"((?:[^"]|"")*)"|([^;]*))\s*(?:;|$)/uy;

/** The names in a text that `joinNames` or a person wrote; empty ones are passed over. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  ONE.lastIndex = 0;
  while (ONE.lastIndex < text.length) {
    const found = ONE.exec(text);
    // A quote that is not closed as it should be: what is left is one name as it stands.
    if (!found)
      return [...names, text.slice(names.length === 0 ? 0 : text.lastIndexOf(SEPARATOR) + 1).trim()];
    const name = found[1]?.replaceAll('""', '"') ?? found[2]?.trim() ?? '';
    if (name !== '') names.push(name);
  }
  return names;
}
