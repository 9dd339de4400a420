/** Formats search parameters for editing: one `name=value` per line, decoded. */
export const formatParameters = (search: string): string =>
  [...new URLSearchParams(search)].map(([name, value]) => `${name}=${value}`).join('\n');

/**
 * Parses edited search parameters.
 * @returns encoded parameters without a leading question mark, or the first line that has no name or no value
 */
export function parseParameters(text: string): { parameters: string; invalidLine?: string } {
  const parameters = new URLSearchParams();
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, name, value] = /^([^=\s]+)\s*=\s*(.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return { parameters: '', invalidLine: line };
    parameters.set(name, value);
  }
  return { parameters: parameters.toString() };
}
