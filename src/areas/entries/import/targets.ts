import { foldText } from '../../../../contract/rules/fold-text.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import { createHeadingFormatter, getColumnParts } from '../../../../contract/rules/tables/entry-columns.ts';
import type { ColumnPart } from '../../../../contract/rules/tables/entry-columns.ts';
import { countFileColumns } from '../../../../contract/rules/tables/problem-columns.ts';
import { isTimeZone } from '../../../lib/dates/time-zones.ts';
import type { Field } from '../model/schema.ts';

/** What a column can hold: the entry id, or a part of a field. */
export interface ColumnTarget {
  key: string;
  label: string;
  field: Field | undefined;
  part: ColumnPart;
}

/** Target key of each column; undefined for ignored ones. */
export type Mapping = readonly (string | undefined)[];

const PART_SUFFIXES: Readonly<Record<ColumnPart, string>> = {
  value: '',
  id: ' (id)',
  currency: ' (currency)',
};
const getTargetKey = (field: Field, part: ColumnPart): string =>
  part === 'value' ? field.apiName : `${field.apiName}#${part}`;

const isWritable = (field: Field): boolean => field.isStoreRequestSupported && !isFileField(field.fieldType);

/** All targets of a type. */
export const getColumnTargets = (fields: readonly Field[]): readonly ColumnTarget[] => [
  { key: ENTRY_ID, label: 'Entry id', field: undefined, part: 'value' },
  ...fields.filter(isWritable).flatMap((field) =>
    getColumnParts(field).map((part) => ({
      key: getTargetKey(field, part),
      label: `${field.name}${PART_SUFFIXES[part]}`,
      field,
      part,
    })),
  ),
];

const normalizeHeading = (text: string): string => foldText(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');

const ZONE_SUFFIX = /\s*\(([\w+-]+(?:\/[\w+-]+)*)\)\s*$/;

/** Heading without the time zone that exports add. */
function removeZone(heading: string): string {
  const [whole = '', zone = ''] = ZONE_SUFFIX.exec(heading) ?? [];
  return whole !== '' && isTimeZone(zone) ? heading.slice(0, -whole.length) : heading;
}

/** Targets by heading: exactly as in exports, then as usually written. */
function buildSpellings(
  fields: readonly Field[],
  zone: string,
): readonly ReadonlyMap<string, ColumnTarget>[] {
  const heading = createHeadingFormatter(fields, zone);
  const targets = getColumnTargets(fields);
  const exact = new Map<string, ColumnTarget>();
  const loose = new Map<string, ColumnTarget>();
  for (const target of targets) {
    const { field, part } = target;
    if (field) exact.set(heading(field, part).toLowerCase(), target);
    else exact.set(ENTRY_ID.toLowerCase(), target);
    for (const name of field ? [field.name, field.apiName] : ['Entry id', 'Id']) {
      const key = normalizeHeading(`${name}${PART_SUFFIXES[part]}`);
      if (key !== '' && !loose.has(key)) loose.set(key, target);
    }
  }
  // Fields with the same name: exports use apiNames.
  for (const target of targets) {
    const key = `${target.field?.apiName ?? ENTRY_ID}${PART_SUFFIXES[target.part]}`.toLowerCase();
    if (!exact.has(key)) exact.set(key, target);
  }
  return [exact, loose];
}

/** Time zone of the headings, as written by exports: the one that matches most columns, otherwise UTC. */
export function guessZone(headings: readonly string[], fields: readonly Field[]): string {
  const named = headings
    .map((heading) => ZONE_SUFFIX.exec(heading)?.[1] ?? '')
    .filter((zone) => zone.includes('/'));
  let best = { zone: 'UTC', known: -1 };
  for (const zone of new Set(['UTC', ...named.filter(isTimeZone)])) {
    const [exact] = buildSpellings(fields, zone);
    const existing = headings.filter((heading) => exact?.has(heading.trim().toLowerCase())).length;
    if (existing > best.known) best = { zone, known: existing };
  }
  return best.zone;
}

/** Guesses targets from the headings; each target is assigned once. */
export function guessMapping(headings: readonly string[], fields: readonly Field[]): Mapping {
  const [exact, loose] = buildSpellings(fields, guessZone(headings, fields));
  const taken = new Set<string>();
  const own = headings.slice(0, countFileColumns(headings));
  const take = (target: ColumnTarget | undefined): string | undefined => {
    if (!target || taken.has(target.key)) return undefined;
    taken.add(target.key);
    return target.key;
  };
  // Exact matches take precedence over similar ones.
  const exactly = own.map((heading) => take(exact?.get(heading.trim().toLowerCase())));
  return headings.map((heading, at) => {
    if (at >= own.length || exactly[at] !== undefined) return exactly[at];
    return take(loose?.get(normalizeHeading(heading)) ?? loose?.get(normalizeHeading(removeZone(heading))));
  });
}

/** Reason why an unassigned column is ignored, if there is one. */
export function getIgnoredReason(heading: string, fields: readonly Field[]): string | undefined {
  const text = normalizeHeading(heading.replace(/ \(files\)\s*$/, ''));
  const field = fields.find(
    (one) =>
      normalizeHeading(one.name) === text ||
      normalizeHeading(one.apiName) === text ||
      normalizeHeading(removeZone(heading)) === normalizeHeading(one.name),
  );
  if (!field || isWritable(field)) return undefined;
  if (isFileField(field.fieldType)) return 'Files cannot be imported';
  return field.isCalculated ? 'Calculated by the service' : 'Counted by the service';
}

/** Fields that can identify entries: single texts and numbers. */
export const getKeyFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(
    ({ fieldType, isMoney, isMultiSelect }) =>
      (fieldType === 1 || fieldType === 3) && !isMoney && !isMultiSelect,
  );

/** Columns of the parts of a field. */
export interface FieldColumns {
  field: Field;
  value: number | undefined;
  id: number | undefined;
  currency: number | undefined;
}

/** Columns of a row. */
export interface Columns {
  entryId: number | undefined;
  fields: readonly FieldColumns[];
}

export function locateColumns(mapping: Mapping, fields: readonly Field[]): Columns {
  const targets = new Map(getColumnTargets(fields).map((target) => [target.key, target]));
  const cells = new Map<number, FieldColumns>();
  for (const [at, key] of mapping.entries()) {
    const { field, part } = (key === undefined ? undefined : targets.get(key)) ?? {};
    if (!field || !part) continue;
    const existing = cells.get(field.id) ?? { field, value: undefined, id: undefined, currency: undefined };
    cells.set(field.id, { ...existing, [part]: at });
  }
  const entryId = mapping.indexOf(ENTRY_ID);
  return { entryId: entryId < 0 ? undefined : entryId, fields: [...cells.values()] };
}
