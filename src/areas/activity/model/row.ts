import { exportKinds } from '../../../../contract/rules/activity.ts';
import type { UserActivityEntry } from '../../../api/generated/types.gen.ts';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { RowId } from '../../../ui/table/columns.ts';

/** A row of the report. */
export interface ActivityRow extends UserActivityEntry {
  /** It came while the report was open. */
  fresh?: boolean;
}

/** Tells rows apart; other installations give them no number of their own. */
export const activityId = (row: UserActivityEntry): RowId =>
  row.activityId ?? `${row.eventDate} ${row.userId} ${row.activityTypeId} ${row.sessionId ?? ''}`;

/** Who acted, as people say it; somebody without a name is told by id. */
export const actorOf = ({ fullName, userName, userId }: UserActivityEntry): string =>
  fullName.trim() || userName || `User ${userId}`;

/** For whom a proxy acted; undefined where nobody stood in for another. */
export function principalOf(row: UserActivityEntry): { id: number | undefined; name: string } | undefined {
  const { principalUserId: id, principalFullName, principalUserName } = row;
  const name = principalFullName?.trim() || principalUserName || (id ? `User ${id}` : undefined);
  return name === undefined ? undefined : { id: id ?? undefined, name };
}

/** What a row is called in a sentence. */
export const rowLabel = (row: UserActivityEntry): string => `${row.activityType}, ${actorOf(row)}`;

/** An address as text: other installations send IPv4 as a number (shapes 2). */
export function addressOf({ ipAddress: ip }: Pick<UserActivityEntry, 'ipAddress'>): string | undefined {
  if (typeof ip !== 'number') return ip ?? undefined;
  return [24, 16, 8, 0].map((bits) => Math.floor(ip / 2 ** bits) % 256).join('.');
}

/** What was exported, where something was. */
export const kindOf = ({ exportDataType: kind }: UserActivityEntry): string | undefined =>
  kind === null || kind === undefined ? undefined : (exportKinds[kind] ?? `Kind ${kind}`);

const FAILED = new Set([2, 5, 6, 7]);
const TAKEN_OUT = new Set([8, 10]);

/** Failures are to be seen, and what left the site; everything else is quiet. */
export function toneOf({ activityTypeId: type }: UserActivityEntry): Tone {
  if (FAILED.has(type)) return 'bad';
  return TAKEN_OUT.has(type) ? 'info' : 'neutral';
}
