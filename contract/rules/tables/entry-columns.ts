import type { FieldValue, FieldValueItem, RowVm } from '../../generated/types.gen.ts';
import { formatZonedIso, fromWallTime, toWallTime } from '../dates/wall-time.ts';
import { ENTRY_ID } from '../query/condition.ts';
import { FIELD, holdsMoney, isFileField } from '../schema/fields.ts';
import type { FieldType } from '../schema/fields.ts';
import { isFile, isMoney, isNamed, toItems } from '../schema/values.ts';
import { toSheetDate } from './cells.ts';
import type { ExportCell } from './cells.ts';

/** A field as the columns of an export need it. */
export interface ExportField {
  id: number;
  apiName: string;
  name: string;
  fieldType: FieldType;
  isMultiSelect: boolean;
  isDateOnly: boolean;
  isMoney: boolean;
  /** Choices of the field; names may repeat. */
  choiceValues?: readonly { id: number; name: string }[] | null | undefined;
}

/** The part of a value that a column contains. */
export type ColumnPart = 'value' | 'id' | 'currency';

const PART_SUFFIXES: Readonly<Record<ColumnPart, string>> = {
  value: '',
  id: ' (id)',
  currency: ' (currency)',
};

/** The columns of a field: names and ids of references and users, amounts and currencies, else one column. */
export function getColumnParts(field: ExportField): readonly ColumnPart[] {
  if (field.fieldType === FIELD.reference || field.fieldType === FIELD.user) return ['value', 'id'];
  return holdsMoney(field) ? ['value', 'currency'] : ['value'];
}

const hasZone = ({ fieldType, isDateOnly }: ExportField): boolean => fieldType === FIELD.date && !isDateOnly;

const formatHeading = (name: string, part: ColumnPart, field: ExportField, zone: string): string =>
  `${name}${PART_SUFFIXES[part]}${hasZone(field) ? ` (${zone})` : ''}${isFileField(field.fieldType) ? ' (files)' : ''}`;

/**
 * Creates a function that formats column headings: the name of the field, or its apiName if two columns would have the
 * same heading. Headings of dates with a time contain the time zone.
 */
export function createHeadingFormatter(
  fields: readonly ExportField[],
  zone: string,
): (field: ExportField, part: ColumnPart) => string {
  const counts = new Map([[ENTRY_ID.toLowerCase(), 1]]);
  const headings = fields.flatMap((field) =>
    getColumnParts(field).map((part) => formatHeading(field.name.trim(), part, field, zone).toLowerCase()),
  );
  for (const heading of headings) counts.set(heading, (counts.get(heading) ?? 0) + 1);
  const idsByApiName = new Map(fields.map(({ apiName, id }) => [apiName.toLowerCase(), id]));
  const isNameUnique = (field: ExportField) =>
    (idsByApiName.get(field.name.trim().toLowerCase()) ?? field.id) === field.id &&
    getColumnParts(field).every(
      (part) => counts.get(formatHeading(field.name.trim(), part, field, zone).toLowerCase()) === 1,
    );
  return (field, part) =>
    formatHeading(isNameUnique(field) ? field.name.trim() : field.apiName, part, field, zone);
}

const normalizeChoice = (name: string): string => name.trim().toLowerCase();

/** Ids of choices by name, undefined for a name that several have; built once for each field, not for each cell. */
const choiceIds = new WeakMap<ExportField, ReadonlyMap<string, number | undefined>>();

function getChoiceIds(field: ExportField): ReadonlyMap<string, number | undefined> {
  const cached = choiceIds.get(field);
  if (cached) return cached;
  const ids = new Map<string, number | undefined>();
  for (const { id, name } of field.choiceValues ?? []) {
    const key = normalizeChoice(name);
    ids.set(key, ids.has(key) ? undefined : id);
  }
  choiceIds.set(field, ids);
  return ids;
}

/** Texts of choices by field and id, with the name from which each was made. */
const choiceTexts = new WeakMap<ExportField, Map<number, { name: string; text: string }>>();

/** Formats a choice as its name, or as "#" and its id if the name is ambiguous. */
export function formatChoice(field: ExportField, choice: { id: number; name: string }): string {
  const texts = choiceTexts.get(field) ?? new Map<number, { name: string; text: string }>();
  choiceTexts.set(field, texts);
  const cached = texts.get(choice.id);
  if (cached?.name === choice.name) return cached.text;
  const text = buildChoiceText(field, choice);
  texts.set(choice.id, { name: choice.name, text });
  return text;
}

function buildChoiceText(field: ExportField, { id, name }: { id: number; name: string }): string {
  const key = normalizeChoice(name);
  return key !== '' && getChoiceIds(field).get(key) === id && !/^#\d+$/.test(name.trim()) ? name : `#${id}`;
}

const formatNamedItem = (item: FieldValueItem, field: ExportField): string => {
  if (!isNamed(item)) return '';
  return field.fieldType === FIELD.choice ? formatChoice(field, item) : item.name;
};

/** What all moments of a quarter of an hour have in common in a time zone. */
interface ZoneQuarter {
  /** Wall time minus moment, in milliseconds. */
  offset: number;
  /** Offset as text: `+01:00`. */
  suffix: string;
  /** Whether the clock shows these times once; false where it is set back. */
  isUnique: boolean;
}

const QUARTER_MS = 900_000;
/** Since then, clocks of all zones change at whole quarters of an hour only, and offsets have no seconds. */
const MIN_QUARTER_MS = Date.UTC(1980, 0);
const MAX_QUARTER_MS = Date.UTC(2100, 0);
/** About three years of all quarters, or the same number of single ones. */
const MAX_QUARTERS = 100_000;
const LENGTH_WITHOUT_ZONE = 19;

/** Quarters of one zone, which are found by a division instead of by formatting each moment. */
const quarters = { zone: '', byNumber: new Map<number, ZoneQuarter>() };

function getQuarter(timestamp: number, zone: string): ZoneQuarter {
  if (quarters.zone !== zone || quarters.byNumber.size > MAX_QUARTERS) {
    quarters.zone = zone;
    quarters.byNumber = new Map();
  }
  const number = Math.floor(timestamp / QUARTER_MS);
  const cached = quarters.byNumber.get(number);
  if (cached) return cached;
  const start = number * QUARTER_MS;
  const wall = toWallTime(start, zone);
  const quarter = {
    offset: wall - start,
    suffix: formatZonedIso(start, zone).slice(LENGTH_WITHOUT_ZONE),
    isUnique: fromWallTime(wall, zone) === start,
  };
  quarters.byNumber.set(number, quarter);
  return quarter;
}

function toDateCell(value: string, field: ExportField, zone: string): ExportCell {
  const timestamp = Date.parse(value);
  if (field.isDateOnly) return toSheetDate(value.slice(0, 10), timestamp, true);
  if (timestamp >= MIN_QUARTER_MS && timestamp < MAX_QUARTER_MS) {
    const { offset, suffix, isUnique } = getQuarter(timestamp, zone);
    const iso = new Date(timestamp + offset).toISOString();
    const text = `${iso.slice(0, iso.endsWith('.000Z') ? LENGTH_WITHOUT_ZONE : -1)}${suffix}`;
    return isUnique ? toSheetDate(text, timestamp + offset, false) : text;
  }
  const wall = toWallTime(timestamp, zone);
  const text = formatZonedIso(timestamp, zone);
  // Times that occur twice when clocks change are exported as text with their offset.
  return fromWallTime(wall, zone) === timestamp ? toSheetDate(text, wall, false) : text;
}

/** Converts a part of a field's value to an export cell. */
function toExportCell(
  value: FieldValue | undefined,
  field: ExportField,
  part: ColumnPart,
  zone: string,
): ExportCell {
  if (typeof value === 'number' || value === undefined) return value ?? '';
  const items = toItems(value);
  const [item] = items;
  if (item === undefined || item === null) return '';
  if (isFileField(field.fieldType)) return items.filter(isFile).map(({ name }) => name);
  if (part === 'id') return toIdCell(items, field);
  if (holdsMoney(field)) return isMoney(item) ? (part === 'value' ? item.value : item.currencyCode) : '';
  if (isNamed(item))
    return field.isMultiSelect
      ? items.map((each) => formatNamedItem(each, field))
      : formatNamedItem(item, field);
  if (field.fieldType === FIELD.date && typeof item === 'string') return toDateCell(item, field, zone);
  return typeof item === 'object' ? '' : item;
}

function toIdCell(items: readonly FieldValueItem[], field: ExportField): ExportCell {
  const ids = items.filter(isNamed).map(({ id }) => id);
  return field.isMultiSelect ? ids : (ids[0] ?? '');
}

/** A column of an export of entries. */
export interface EntryColumn {
  heading: string;
  width: number;
  cell: (row: RowVm) => ExportCell;
  /** The field whose values the column has, and the cell of such a value; undefined for the id of the entry. */
  source?: {
    apiName: string;
    part: ColumnPart;
    isMoney: boolean;
    toCell: (value: FieldValue | undefined) => ExportCell;
  };
}

const WIDTHS: Readonly<Record<ColumnPart, number>> = { value: 22, id: 10, currency: 10 };

/**
 * Builds the columns of an export: the id of the entry and the fields in `columns`.
 * @param fields all fields of the type, so that headings do not depend on the exported ones
 */
export function buildExportColumns({
  fields,
  columns,
  zone,
}: {
  fields: readonly ExportField[];
  columns: readonly ExportField[];
  zone: string;
}): readonly EntryColumn[] {
  const formatFieldHeading = createHeadingFormatter(fields, zone);
  return [
    { heading: ENTRY_ID, width: 10, cell: (row) => row.EntryId },
    ...columns.flatMap((field) =>
      getColumnParts(field).map((part): EntryColumn => {
        const toCell = (value: FieldValue | undefined) => toExportCell(value, field, part, zone);
        return {
          heading: formatFieldHeading(field, part),
          width: WIDTHS[part],
          cell: (row) => toCell(row[field.apiName]),
          source: { apiName: field.apiName, part, isMoney: holdsMoney(field), toCell },
        };
      }),
    ),
  ];
}
