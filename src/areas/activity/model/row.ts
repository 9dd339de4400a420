import type { UserActivityEntry } from '../../../../contract/generated/types.gen.ts';
import { exportTypeNames } from '../../../../contract/rules/activity.ts';
import { pluralize } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import type { RowId } from '../../../ui/table/columns.ts';

/** A row of the report. */
export interface ActivityRow extends UserActivityEntry {
  /** The row was added while the report was open. */
  isNew?: boolean;
}

/** Id of a row. Other installations have no `activityId`; their rows get a composite key. */
export const getRowId = (row: UserActivityEntry): RowId =>
  row.activityId ?? `${row.eventDate} ${row.userId} ${row.activityTypeId} ${row.sessionId ?? ''}`;

/** Display name of the user who acted, or the id if there is no name. */
export const getActorName = ({ fullName, userName, userId }: UserActivityEntry): string =>
  fullName.trim() || userName || `User ${userId}`;

/** User on whose behalf a proxy acted; undefined if the user acted themselves. */
export function getPrincipal(row: UserActivityEntry): { id: number | undefined; name: string } | undefined {
  const { principalUserId: id, principalFullName, principalUserName } = row;
  const name = principalFullName?.trim() || principalUserName || (id ? `User ${id}` : undefined);
  return name === undefined ? undefined : { id: id ?? undefined, name };
}

/** Accessible label of a row. */
export const getRowLabel = (row: UserActivityEntry): string => `${row.activityType}, ${getActorName(row)}`;

/** IP address as text. Other installations send IPv4 addresses as a number (shapes 2). */
export function formatAddress({ ipAddress: ip }: Pick<UserActivityEntry, 'ipAddress'>): string | undefined {
  if (typeof ip !== 'number') return ip ?? undefined;
  return [24, 16, 8, 0].map((bits) => Math.floor(ip / 2 ** bits) % 256).join('.');
}

/** Says what was exported: "Companies: 120 rows, 7 fields as CSV, City is Oslo"; undefined where it was not recorded. */
export function formatExported({
  exportDetail,
}: Pick<UserActivityEntry, 'exportDetail'>): string | undefined {
  if (!exportDetail) return undefined;
  const { rows, type, format, filter, fields } = exportDetail;
  const contents = [
    pluralize(rows, 'row', 'rows'),
    // A report shows what its template says.
    ...(fields.length === 0 ? [] : [pluralize(fields.length, 'field', 'fields')]),
  ];
  const text = `${type}: ${contents.join(', ')} as ${format.toUpperCase()}`;
  return filter === null ? text : `${text}, ${filter}`;
}

/** Name of the export type; undefined if the row is not an export. */
export const formatExportType = ({ exportDataType: kind }: UserActivityEntry): string | undefined =>
  kind === null || kind === undefined ? undefined : (exportTypeNames[kind] ?? `Kind ${kind}`);

const FAILED = new Set([2, 5, 6, 7]);
const DATA_EXPORTS = new Set([8, 10]);

/** Tone of the type badge: failures and data exports stand out. */
export function getTone({ activityTypeId: type }: UserActivityEntry): Tone {
  if (FAILED.has(type)) return 'bad';
  return DATA_EXPORTS.has(type) ? 'info' : 'neutral';
}

/** Type and query of the exported entries for a link to them; undefined for other exports, selected entries and lists as of a date. */
export function getExportedEntries({
  exportDetail,
}: Pick<UserActivityEntry, 'exportDetail'>): { type: string; query: Record<string, unknown> } | undefined {
  const { entryTypeId, query, asOf, entries } = exportDetail ?? {};
  if (entryTypeId === undefined || typeof asOf === 'string' || Array.isArray(entries)) return undefined;
  const type = String(entryTypeId);
  if (typeof query !== 'string') return { type, query: {} };
  try {
    const parsed: unknown = JSON.parse(query);
    return typeof parsed === 'object' && parsed !== null ? { type, query: { ...parsed } } : undefined;
  } catch {
    // The text of a long query is cut off.
    return undefined;
  }
}
