/** Properties of a user that can be turned on but not off through the API (spec 2.1, 3). */
const oneWaySwitches = ['twoFactorEnabled', 'ipRestrictionsEnabled'] as const;

export type OneWaySwitch = (typeof oneWaySwitches)[number];

/** The switches that `change` would turn off; each is a 400 (shapes 2). */
export function findRefusedSwitches(
  current: Readonly<Record<OneWaySwitch, boolean>>,
  change: Readonly<Partial<Record<OneWaySwitch, boolean>>>,
): OneWaySwitch[] {
  return oneWaySwitches.filter((name) => current[name] && change[name] === false);
}

/** Why a new password is not allowed, apart from its length, which the contract limits; undefined if it is allowed. */
export function validatePassword(password: string, email: string | undefined): string | undefined {
  if (password.trim() === '') return 'must not consist of spaces only';
  if (email !== undefined && normalizeForComparison(password) === normalizeForComparison(email))
    return 'must not be the e-mail address';
  return undefined;
}

const normalizeForComparison = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Days before the expiry of an API key at which its owner is reminded. */
export const API_KEY_REMINDER_DAYS = 14;
/** Longest validity of an API key in days; a key without an expiry date does not expire. */
export const MAX_API_KEY_DAYS = 3650;
