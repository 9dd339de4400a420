/** Returns the initials of the first and the last word of a name, for an avatar. */
export function getInitials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const last = words.length > 1 ? words.at(-1) : undefined;
  const letters = [words[0], last].map((word) => (word ? /^./u.exec(word)?.[0] : ''));
  return letters.join('').toLocaleUpperCase();
}
