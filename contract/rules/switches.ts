/** Fields of a user that can be turned on but never off through the interface (spec 2.1, 3). */
const oneWaySwitches = ['twoFactorEnabled', 'ipRestrictionsEnabled'] as const;

export type OneWaySwitch = (typeof oneWaySwitches)[number];

/** The switches that `change` would turn off although they are on; each is a 400 (shapes 2). */
export function refusedSwitches(
  current: Readonly<Record<OneWaySwitch, boolean>>,
  change: Readonly<Partial<Record<OneWaySwitch, boolean>>>,
): OneWaySwitch[] {
  return oneWaySwitches.filter((name) => current[name] && change[name] === false);
}
