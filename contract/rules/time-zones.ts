/**
 * Resolves the name of an IANA time zone to the canonical name of this runtime, ignoring letter case; undefined for
 * unknown names and for offsets (`+02:00`), which have no daylight saving time. The same rule applies to sites and to
 * users, in the service and in the console; only equal results mean the same zone (`Europe/Kyiv` and `Europe/Kiev`).
 */
export function resolveTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The error message of a name that `resolveTimeZone` rejects. */
export const formatTimeZoneError = (name: string): string =>
  `${name} is not a time zone such as Europe/Berlin`;
