/** Returns the initials of the first and the last word of a name, for an avatar. Signs such as parentheses are no initials. */
export function getInitials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  const last = letters.length > 1 ? letters.at(-1) : '';
  return `${letters[0] ?? ''}${last}`.toLocaleUpperCase();
}
