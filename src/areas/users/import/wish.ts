import { regexes } from 'zod/v4/core';
import type { Field, Mapping } from './fields.ts';
import { splitNames } from '../../../files/name-list.ts';
import type { Row } from '../../../files/parse.ts';
import type { Fault } from '../../import/plan.ts';
import { quoted, readSwitch } from '../../../files/read.ts';
import type { Read } from '../../../files/read.ts';
import { readGroups, readId, readLicense, readStatus } from './values.ts';
import type { GroupBook } from './values.ts';

/** What a row says; a field that it leaves empty says nothing. */
export interface Wish {
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
  federationId?: string;
  faults: Fault[];
  /** The record itself cannot be read: its cells say nothing. */
  broken: boolean;
}

// As the contract says (NewUserInfo); a test holds them together.
const MOST = { email: 254, firstName: 100, lastName: 100, federationId: 255 };

function readText(field: keyof typeof MOST, text: string): Read<string> {
  const value = text.trim();
  const most = MOST[field];
  if (value.length > most) return { fault: `Has ${value.length} characters; at most ${most} are possible` };
  if (field === 'email' && !regexes.email.test(value))
    return { fault: `${quoted(value)} is not an e-mail address` };
  return { value };
}

/** Reads the cells of a row by the columns' fields. */
export function readWish({ row, cells, broken }: Row, mapping: Mapping, book: GroupBook): Wish {
  const wish: Wish = { row, faults: [], broken: broken !== undefined };
  if (broken !== undefined) {
    wish.faults.push({ field: undefined, message: broken });
    return wish;
  }
  for (const [at, field] of mapping.entries()) {
    const text = cells[at] ?? '';
    if (field !== undefined && text.trim() !== '') readCell(wish, field, text, book);
  }
  return wish;
}

function readCell(wish: Wish, field: Field, text: string, book: GroupBook): void {
  const take = <Value>(read: Read<Value>): Value | undefined => {
    if ('value' in read) return read.value;
    wish.faults.push({ field, message: read.fault });
    return undefined;
  };
  const set = <Key extends Field>(key: Key, value: Wish[Key] | undefined) => {
    if (value !== undefined) wish[key] = value;
  };
  switch (field) {
    case 'id':
      return set('id', take(readId(text)));
    case 'isActive':
      return set('isActive', take(readStatus(text)));
    case 'licenseTypeId':
      return set('licenseTypeId', take(readLicense(text)));
    case 'groups':
      return set('groups', take(readGroups(splitNames(text), book)));
    case 'twoFactorEnabled':
    case 'ipRestrictionsEnabled':
      return set(field, take(readSwitch(text)));
    case 'email':
    case 'firstName':
    case 'lastName':
    case 'federationId':
      return set(field, take(readText(field, text)));
  }
}
