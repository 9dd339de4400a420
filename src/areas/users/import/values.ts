import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { fold } from '../../../lib/fold.ts';
import { OFF, ON, quoted } from '../../../files/read.ts';
import type { Read } from '../../../files/read.ts';

const ACTIVE = new Set([...ON, 'active', 'aktiv', 'actif']);
const INACTIVE = new Set([...OFF, 'inactive', 'inaktiv', 'inactif', 'deactivated']);

/** Active or Inactive (spec 3). */
export function readStatus(text: string): Read<boolean> {
  const word = fold(text.trim());
  if (ACTIVE.has(word)) return { value: true };
  return INACTIVE.has(word) ? { value: false } : { fault: `${quoted(text)} is neither Active nor Inactive` };
}

const plain = (text: string): string => fold(text).replaceAll(/[^a-z0-9]+/g, '');
const LICENSES = new Map(
  licenseTypes.flatMap(({ licenseTypeId, description }) => [
    [String(licenseTypeId), licenseTypeId],
    [plain(description), licenseTypeId],
    [plain(description.split(/[/ ]/)[0] ?? ''), licenseTypeId],
  ]),
);
for (const word of ['none', 'nolicence']) LICENSES.set(word, LICENSES.get('nolicense') ?? 0);
for (const word of ['complimentary', 'complementary']) LICENSES.set(word, LICENSES.get('free') ?? 0);

/** A license type by its name or number (spec 2.2). */
export function readLicense(text: string): Read<number> {
  const value = LICENSES.get(plain(text));
  return value === undefined ? { fault: `${quoted(text)} is no license` } : { value };
}

/** A user id: int32, from 1. */
export function readId(text: string): Read<number> {
  const value = Number(text.trim());
  const valid = /^\d{1,10}$/.test(text.trim()) && value >= 1 && value <= 0x7fffffff;
  return valid ? { value } : { fault: `${quoted(text)} is no user id` };
}

/** Groups by their names, which are told apart without regard to case, or by their ids. */
export interface GroupBook {
  idOf: (name: string) => number | undefined;
  nameOf: (id: number) => string;
}

export function groupBook(groups: readonly { id: number; name: string }[]): GroupBook {
  const byName = new Map(groups.map(({ id, name }) => [name.trim().toLowerCase(), id]));
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return {
    // A name before a number: a group may be called 2024.
    idOf: (name) =>
      byName.get(name.trim().toLowerCase()) ??
      (/^\d{1,10}$/.test(name) && names.has(Number(name)) ? Number(name) : undefined),
    nameOf: (id) => names.get(id) ?? String(id),
  };
}

export function readGroups(names: readonly string[], book: GroupBook): Read<number[]> {
  const unknown = names.filter((name) => book.idOf(name) === undefined);
  if (unknown.length > 0) {
    const list = unknown.map(quoted).join(', ');
    return { fault: unknown.length === 1 ? `There is no group ${list}` : `There are no groups ${list}` };
  }
  return { value: [...new Set(names.flatMap((name) => book.idOf(name) ?? []))] };
}
