import { regexes } from 'zod/v4/core';
import { resolveTimeZone } from '../../../../contract/rules/dates/time-zones.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { licenseTypes, findLicenseType } from '../../../../contract/rules/people/licenses.ts';
import { parseNameList } from '../../../../contract/rules/tables/name-list.ts';
import type { RowError } from '../../../files/import-plan/plan.ts';
import { quoteExcerpt, parseSwitch, FALSE_WORDS, TRUE_WORDS } from '../../../files/table/cell-values.ts';
import type { ParseResult } from '../../../files/table/cell-values.ts';
import type { FileRow } from '../../../files/table/table.ts';
import type { Field, Mapping } from './fields.ts';

/** Values that a row sets; empty cells set nothing. */
export interface RowTarget {
  row: number;
  id?: number;
  email?: string;
  firstName?: string;
  lastName?: string;
  isActive?: boolean;
  licenseTypeId?: number;
  groups?: readonly number[];
  twoFactorEnabled?: boolean;
  ipRestrictionsEnabled?: boolean;
  timeZone?: string;
  federationId?: string;
  errors: RowError[];
  /** The record could not be parsed. */
  isUnreadable: boolean;
}

// Limits of the contract (NewUserInfo), compared by a test.
const MAX_LENGTHS = { email: 254, firstName: 100, lastName: 100, federationId: 255 };

function parseText(field: keyof typeof MAX_LENGTHS, text: string): ParseResult<string> {
  const value = text.trim();
  const most = MAX_LENGTHS[field];
  if (value.length > most) return { error: `Has ${value.length} characters; the maximum is ${most}` };
  if (field === 'email' && !regexes.email.test(value))
    return { error: `${quoteExcerpt(value)} is not an e-mail address` };
  return { value };
}

/** Parses the cells of a row by the fields of the columns. */
export function parseRow(
  { row, cells, error }: FileRow,
  mapping: Mapping,
  groupLookup: GroupLookup,
): RowTarget {
  const target: RowTarget = { row, errors: [], isUnreadable: error !== undefined };
  if (error !== undefined) {
    target.errors.push({ field: undefined, message: error });
    return target;
  }
  for (const [at, field] of mapping.entries()) {
    const text = cells[at] ?? '';
    if (field !== undefined && text.trim() !== '') parseCell(target, field, text, groupLookup);
  }
  return target;
}

function parseCell(target: RowTarget, field: Field, text: string, groupLookup: GroupLookup): void {
  const take = <Value>(read: ParseResult<Value>): Value | undefined => {
    if ('value' in read) return read.value;
    target.errors.push({ field, message: read.error });
    return undefined;
  };
  const set = <Key extends Field>(key: Key, value: RowTarget[Key] | undefined) => {
    if (value !== undefined) target[key] = value;
  };
  switch (field) {
    case 'id':
      return set('id', take(parseId(text)));
    case 'isActive':
      return set('isActive', take(parseStatus(text)));
    case 'licenseTypeId':
      return set('licenseTypeId', take(parseLicense(text)));
    case 'groups':
      return set('groups', take(parseGroups(parseNameList(text), groupLookup)));
    case 'twoFactorEnabled':
    case 'ipRestrictionsEnabled':
      return set(field, take(parseSwitch(text)));
    case 'timeZone':
      return set('timeZone', take(parseTimeZone(text)));
    case 'email':
    case 'firstName':
    case 'lastName':
    case 'federationId':
      return set(field, take(parseText(field, text)));
  }
}

const ACTIVE = new Set([...TRUE_WORDS, 'active', 'aktiv', 'actif']);
const INACTIVE = new Set([...FALSE_WORDS, 'inactive', 'inaktiv', 'inactif', 'deactivated']);

/** Parses Active or Inactive (spec 3). */
function parseStatus(text: string): ParseResult<boolean> {
  const word = foldText(text.trim());
  if (ACTIVE.has(word)) return { value: true };
  return INACTIVE.has(word)
    ? { value: false }
    : { error: `${quoteExcerpt(text)} is neither Active nor Inactive` };
}

const normalizeLicenseName = (text: string): string => foldText(text).replaceAll(/[^a-z0-9]+/g, '');
const LICENSES = new Map(
  licenseTypes.flatMap(({ licenseTypeId, description }) => [
    [String(licenseTypeId), licenseTypeId],
    [normalizeLicenseName(description), licenseTypeId],
    [normalizeLicenseName(description.split(/[/ ]/)[0] ?? ''), licenseTypeId],
  ]),
);
for (const word of ['none', 'nolicence']) LICENSES.set(word, LICENSES.get('nolicense') ?? 0);
for (const word of ['complimentary', 'complementary']) LICENSES.set(word, LICENSES.get('free') ?? 0);

/** Parses a license type by name or number (spec 2.2). */
function parseLicense(text: string): ParseResult<number> {
  const value = LICENSES.get(normalizeLicenseName(text));
  return value === undefined ? { error: `${quoteExcerpt(text)} is not a license` } : { value };
}

/** Parses a user id: int32, from 1. */
function parseId(text: string): ParseResult<number> {
  const value = Number(text.trim());
  const valid = /^\d{1,10}$/.test(text.trim()) && value >= 1 && value <= 0x7fffffff;
  return valid ? { value } : { error: `${quoteExcerpt(text)} is not a user id` };
}

/** Parses an IANA time zone; a renamed one keeps its name. */
function parseTimeZone(text: string): ParseResult<string> {
  const name = text.trim();
  const canonical = resolveTimeZone(name);
  if (canonical === undefined)
    return { error: `${quoteExcerpt(name)} is not a time zone such as Europe/Berlin` };
  return { value: canonical.toLowerCase() === name.toLowerCase() ? canonical : name };
}

/** Finds groups by name, ignoring case, or by id. */
export interface GroupLookup {
  findId: (name: string) => number | undefined;
  getName: (id: number) => string;
}

export function createGroupLookup(groups: readonly { id: number; name: string }[]): GroupLookup {
  const byName = new Map(groups.map(({ id, name }) => [name.trim().toLowerCase(), id]));
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return {
    // Names take precedence: a group may be called 2024.
    findId: (name) =>
      byName.get(name.trim().toLowerCase()) ??
      (/^\d{1,10}$/.test(name) && names.has(Number(name)) ? Number(name) : undefined),
    getName: (id) => names.get(id) ?? String(id),
  };
}

function parseGroups(names: readonly string[], groupLookup: GroupLookup): ParseResult<number[]> {
  const unknown = names.filter((name) => groupLookup.findId(name) === undefined);
  if (unknown.length > 0) {
    const list = unknown.map(quoteExcerpt).join(', ');
    return { error: unknown.length === 1 ? `There is no group ${list}` : `There are no groups ${list}` };
  }
  return { value: [...new Set(names.flatMap((name) => groupLookup.findId(name) ?? []))] };
}

/** Field values as displayed before and after a change. */
export const formatLicense = (id: number | undefined): string => findLicenseType(id ?? 0)?.description ?? '';
export const formatStatus = (isActive: boolean): string => (isActive ? 'Active' : 'Inactive');
export const formatSwitch = (on: boolean): string => (on ? 'On' : 'Off');
