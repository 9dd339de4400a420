import type {
  ActivityOfAddress,
  ActivityOfUser,
  UserActivityEntry,
} from '../../../api/generated/types.gen.ts';
import { addressOf } from './-row.ts';

const MOST = 10;

const most = <One extends { count: number }>(all: Map<unknown, One>): One[] =>
  [...all.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST);

/** Who acted most and from where, counted over rows. */
export function tallied(rows: readonly UserActivityEntry[]): {
  topUsers: ActivityOfUser[];
  topAddresses: ActivityOfAddress[];
} {
  const users = new Map<number, ActivityOfUser>();
  const addresses = new Map<string, ActivityOfAddress>();
  for (const row of rows) {
    const { userId, userName, fullName } = row;
    const user = users.get(userId) ?? { userId, userName, fullName, count: 0 };
    users.set(userId, { ...user, count: user.count + 1 });
    const ipAddress = addressOf(row);
    if (ipAddress === undefined) continue;
    const address = addresses.get(ipAddress) ?? { ipAddress, count: 0 };
    addresses.set(ipAddress, { ...address, count: address.count + 1 });
  }
  return { topUsers: most(users), topAddresses: most(addresses) };
}
