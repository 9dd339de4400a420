import { ownColumns } from '../../import/again.ts';
import { fold } from '../../../lib/fold.ts';
import { isFileField } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID, headingsOf, partsOf } from '../export/headings.ts';
import type { Part } from '../export/headings.ts';
import { isZone } from '../../../lib/zones.ts';
import type { Field } from '../model/schema.ts';

/** What a column of the file can be: the id of the entry, or a part of what a field holds. */
export interface Target {
  key: string;
  label: string;
  field: Field | undefined;
  part: Part;
}

/** What each column holds, by the key of its target; undefined for one that is passed over. */
export type Mapping = readonly (string | undefined)[];

const PARTS: Readonly<Record<Part, string>> = { value: '', id: ' (id)', currency: ' (currency)' };
const keyOf = (field: Field, part: Part): string =>
  part === 'value' ? field.apiName : `${field.apiName}#${part}`;

const isWritable = (field: Field): boolean => field.isStoreRequestSupported && !isFileField(field.fieldType);

/** Everything that columns can hold. */
export const targetsOf = (fields: readonly Field[]): readonly Target[] => [
  { key: ENTRY_ID, label: 'Entry id', field: undefined, part: 'value' },
  ...fields.filter(isWritable).flatMap((field) =>
    partsOf(field).map((part) => ({
      key: keyOf(field, part),
      label: `${field.name}${PARTS[part]}`,
      field,
      part,
    })),
  ),
];

const plain = (text: string): string => fold(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');

const ZONE = /\s*\(([\w+-]+(?:\/[\w+-]+)*)\)\s*$/;

/** A heading without the zone that an export names in it. */
function withoutZone(heading: string): string {
  const [whole = '', zone = ''] = ZONE.exec(heading) ?? [];
  return whole !== '' && isZone(zone) ? heading.slice(0, -whole.length) : heading;
}

/** Spellings of what columns can be: as exports head them first, then as people call them. */
function spellings(fields: readonly Field[], zone: string): readonly ReadonlyMap<string, Target>[] {
  const heading = headingsOf(fields, zone);
  const targets = targetsOf(fields);
  const exact = new Map<string, Target>();
  const loose = new Map<string, Target>();
  for (const target of targets) {
    const { field, part } = target;
    if (field) exact.set(heading(field, part).toLowerCase(), target);
    else exact.set(ENTRY_ID.toLowerCase(), target);
    for (const name of field ? [field.name, field.apiName] : ['Entry id', 'Id']) {
      const key = plain(`${name}${PARTS[part]}`);
      if (key !== '' && !loose.has(key)) loose.set(key, target);
    }
  }
  // Two fields of one name: exports head their columns by apiNames.
  for (const target of targets) {
    const key = `${target.field?.apiName ?? ENTRY_ID}${PARTS[target.part]}`.toLowerCase();
    if (!exact.has(key)) exact.set(key, target);
  }
  return [exact, loose];
}

/** The zone in which headings tell moments, as those of exports do: the one by which most of them are known; else UTC. */
export function zoneOf(headings: readonly string[], fields: readonly Field[]): string {
  const named = headings.map((heading) => ZONE.exec(heading)?.[1] ?? '').filter((zone) => zone.includes('/'));
  let best = { zone: 'UTC', known: -1 };
  for (const zone of new Set(['UTC', ...named.filter(isZone)])) {
    const [exact] = spellings(fields, zone);
    const known = headings.filter((heading) => exact?.has(heading.trim().toLowerCase())).length;
    if (known > best.known) best = { zone, known };
  }
  return best.zone;
}

/** Guesses the columns from their headings; each target is given once, to the first that is called so. */
export function guessMapping(headings: readonly string[], fields: readonly Field[]): Mapping {
  const [exact, loose] = spellings(fields, zoneOf(headings, fields));
  const taken = new Set<string>();
  const own = headings.slice(0, ownColumns(headings));
  const take = (target: Target | undefined): string | undefined => {
    if (!target || taken.has(target.key)) return undefined;
    taken.add(target.key);
    return target.key;
  };
  // Whoever is called exactly so comes before those who are called nearly so, wherever they stand.
  const exactly = own.map((heading) => take(exact?.get(heading.trim().toLowerCase())));
  return headings.map((heading, at) => {
    if (at >= own.length || exactly[at] !== undefined) return exactly[at];
    return take(loose?.get(plain(heading)) ?? loose?.get(plain(withoutZone(heading))));
  });
}

/** Why a column that no field claims is passed over, where there is a reason. */
export function ignoredBecause(heading: string, fields: readonly Field[]): string | undefined {
  const said = plain(heading.replace(/ \(files\)\s*$/, ''));
  const field = fields.find(
    (one) =>
      plain(one.name) === said ||
      plain(one.apiName) === said ||
      plain(withoutZone(heading)) === plain(one.name),
  );
  if (!field || isWritable(field)) return undefined;
  if (isFileField(field.fieldType)) return 'Files are not in a table';
  return field.isCalculated ? 'Calculated by the service' : 'Counted by the service';
}

/** The fields by which entries can be found: what they hold is one text or one number. */
export const keyFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(
    ({ fieldType, isMoney, isMultiSelect }) =>
      (fieldType === 1 || fieldType === 3) && !isMoney && !isMultiSelect,
  );
