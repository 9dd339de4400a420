/** More than twice the length of the longest IANA name. */
const MAX_NAME_CHARS = 80;
const MAX_CACHED_NAMES = 500;

/** Canonical names by name, empty for unknown ones: constructing a format for each call takes about 50 µs. */
const canonicalNames = new Map<string, string>();

/**
 * Resolves the name of an IANA time zone to the canonical name of this runtime, ignoring letter case; undefined for
 * unknown names and for offsets (`+02:00`), which have no daylight saving time. The same rule applies to sites and to
 * users, in the service and in the console; only equal results mean the same zone (`Europe/Kyiv` and `Europe/Kiev`).
 */
export function resolveTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name) || name.length > MAX_NAME_CHARS) return undefined;
  const cached = canonicalNames.get(name);
  if (cached !== undefined) return cached === '' ? undefined : cached;
  const canonical = computeCanonicalName(name);
  // Names come from requests and files, so the number of cached ones is limited; the oldest leaves first.
  const [oldest] = canonicalNames.keys();
  if (oldest !== undefined && canonicalNames.size >= MAX_CACHED_NAMES) canonicalNames.delete(oldest);
  canonicalNames.set(name, canonical ?? '');
  return canonical;
}

function computeCanonicalName(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The error message of a name that `resolveTimeZone` rejects. */
export const formatTimeZoneError = (name: string): string =>
  `${name} is not a time zone such as Europe/Berlin`;
