import { hash } from 'node:crypto';
import { startsWithCalendarDay } from '../../../contract/rules/dates/dates.ts';
import { badRequest, preconditionFailed } from '../api-error.ts';
import type { Page } from '../db/list-page.ts';

/** The earliest time that is a valid parameter, and the start of a period without one: PostgreSQL has no year 0. */
export const EARLIEST_TIMESTAMP = new Date('0001-01-01T00:00:00Z');

/**
 * Parses a date or date-time parameter; without a time zone it is in UTC (shapes 1).
 * @throws ApiError 400 when it is not a valid date and time
 */
export function parseTimestamp(path: string, text: string): Date {
  // RFC 3339 also has `t` and `z`, for which Date has rules of its own.
  const upperCased = text.toUpperCase();
  const hasTimeZone = !upperCased.includes('T') || /(Z|[+-]\d{2}:\d{2})$/.test(upperCased);
  const timestamp = new Date(hasTimeZone ? upperCased : `${upperCased}Z`);
  // A time zone can move the last day into the year 10000, or the first into year 0, which PostgreSQL interprets differently.
  const year = timestamp.getUTCFullYear();
  if (!(year >= 1 && year <= 9999) || !startsWithCalendarDay(text))
    throw badRequest([{ path, message: 'is not a valid date and time' }]);
  return timestamp;
}

/** @throws ApiError 400 for a time in the future */
export function requirePast(path: string, timestamp: Date): Date {
  if (timestamp.getTime() > Date.now()) throw badRequest([{ path, message: 'must not be in the future' }]);
  return timestamp;
}

/**
 * As parseTimestamp.
 * @throws ApiError 400 also for a time in the future
 */
export const parsePastTimestamp = (path: string, text: string): Date =>
  requirePast(path, parseTimestamp(path, text));

/** Days that `modifiedSince` may reach back (shapes 1, history window). */
export const HISTORY_WINDOW_DAYS = 180;
const DAY_MS = 86_400_000;

/** Parses `modifiedSince`. @throws ApiError 400 when it lies before the history window */
export function parseModifiedSince(text: string, now: number): Date {
  const timestamp = parseTimestamp('modifiedSince', text);
  if (timestamp.getTime() < now - HISTORY_WINDOW_DAYS * DAY_MS)
    throw badRequest([
      { path: 'modifiedSince', message: `must be at most ${HISTORY_WINDOW_DAYS} days back` },
    ]);
  return timestamp;
}

/** Offset and limit of a page of a management list (spec 4.1 rule 4: defaults page 1, size 10). */
export function parsePage(query: { pageNumber?: number; pageSize?: number }): Page {
  const limit = query.pageSize ?? 10;
  return { limit, offset: ((query.pageNumber ?? 1) - 1) * limit };
}

/** The strong entity tag of a version of a resource, as writes return it. */
export const formatEtag = (version: number): string => `"${version}"`;

/** The tag of a resource that has no version; that of a read differs by its body (`formatReadEtag`). */
export const UNVERSIONED_ETAG = formatEtag(0);

/**
 * The entity tag of a read: the tag of the version, completed by a hash of the body, which may hold more than the version covers
 * (members of a group, a lock that ended). If-Match evaluates the version, If-None-Match the whole tag.
 */
export const formatReadEtag = (etag: string, body: string): string =>
  `${etag.slice(0, -1)}.${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/** Whether an If-None-Match header matches: `*`, or a list with this entity tag, weak or strong. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header
    .split(',')
    .map((item) => item.trim().replace(/^W\//, ''))
    .some((item) => item === '*' || item === etag);

/** The part of a tag that `formatReadEtag` adds. */
const READ_HASH = /\.[\w-]{22}"$/;

/**
 * Rejects a write whose If-Match does not include the current version (shapes 1). Without the header the last write wins.
 * @throws ApiError 412
 */
export function requireVersion(ifMatch: string | undefined, version: number, resourceName: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const etags = ifMatch.split(',').map((etag) => etag.trim().replace(READ_HASH, '"'));
  if (!etags.includes(formatEtag(version))) throw preconditionFailed(resourceName);
}
