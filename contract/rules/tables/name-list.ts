const SEPARATOR = ';';

// Names that would otherwise be parsed differently.
const NEEDS_QUOTES = /[;"\r\n]|^\s|\s$/u;

const quoteName = (name: string): string =>
  NEEDS_QUOTES.test(name) || name === '' ? `"${name.replaceAll('"', '""')}"` : name;

/** Formats names as one text: `Sales; "North; South"`. */
export const formatNameList = (names: readonly string[]): string =>
  names.map(quoteName).join(`${SEPARATOR} `);

const NAME_PATTERN = /\s*(?:"((?:[^"]|"")*)"|([^;]*))\s*(?:;|$)/uy;

/** Parses a list written by `formatNameList` or by a person; empty names are skipped. */
export function parseNameList(text: string): string[] {
  const names: string[] = [];
  NAME_PATTERN.lastIndex = 0;
  while (NAME_PATTERN.lastIndex < text.length) {
    const found = NAME_PATTERN.exec(text);
    // Unbalanced quote: the rest is one name.
    if (!found)
      return [...names, text.slice(names.length === 0 ? 0 : text.lastIndexOf(SEPARATOR) + 1).trim()];
    const name = found[1]?.replaceAll('""', '"') ?? found[2]?.trim() ?? '';
    if (name !== '') names.push(name);
  }
  return names;
}
