import { Paperclip } from 'lucide-react';
import { memo } from 'react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldValue, FieldValueItem } from '../../../api/generated/types.gen.ts';
import { dateWords, zoneMark } from '../model/dates.ts';
import type { Field } from '../model/schema.ts';
import { ChoiceBadge } from '../model/ChoiceBadge.tsx';
import { isFile, isNamed, itemText, itemsOf } from '../model/values.ts';
import { entryPath } from './EntryLink.tsx';
import { itemsThatFit } from './room.ts';
import '../model/values.css';

// The first characters say what a text is about; a million of them in one line say no more.
const MOST_TEXT = 300;

interface CellValueProps {
  value: FieldValue | undefined;
  field: Field;
  zone: string;
  /** Pixels that several values share. */
  room?: number;
}

/** A value in one line of a grid, cut where it is long. */
export const CellValue = memo(({ value, field, zone, room }: CellValueProps) => {
  const items = itemsOf(value);
  const [only] = items;
  if (items.length === 0) return null;
  if (typeof only === 'string' && field.fieldType === FIELD.text) return only.slice(0, MOST_TEXT);
  if (items.length === 1) return <Item item={only ?? null} {...{ field, zone }} />;
  const shown = itemsThatFit(items, field, room);
  return (
    <span className="val-list">
      {items.slice(0, shown).map((item, at) => (
        // A list may hold the same value twice; it has no other identity than its place.
        // oxlint-disable-next-line react/no-array-index-key
        <Item key={at} {...{ item, field, zone }} />
      ))}
      {items.length > shown && <span className="val-more">+{items.length - shown}</span>}
    </span>
  );
});
CellValue.displayName = 'CellValue';

function Item({ item, field, zone }: { item: FieldValueItem; field: Field; zone: string }) {
  if (field.fieldType === FIELD.date && typeof item === 'string')
    return (
      <time className="num" dateTime={item} data-moment={field.isDateOnly ? 'day' : 'moment'}>
        {dateWords(item, field.isDateOnly, zone)}
        {!field.isDateOnly && <span className="val-zone"> {zoneMark(item, zone)}</span>}
      </time>
    );
  const text = itemText(item, field);
  if (isFile(item))
    return (
      <span className="val-file" title={item.contentType}>
        <Paperclip />
        <bdi>{text}</bdi>
      </span>
    );
  if (!isNamed(item)) return text;
  if (field.fieldType === FIELD.choice) return <ChoiceBadge choice={item} />;
  const href = hrefOf(item, field);
  return href === undefined ? (
    <bdi>{text}</bdi>
  ) : (
    <a href={href} tabIndex={-1} className="val-one">
      {text === '' ? `Entry ${item.id}` : text}
    </a>
  );
}

function hrefOf(
  item: Extract<FieldValueItem, { id: number; name: string }>,
  field: Field,
): string | undefined {
  if (field.fieldType === FIELD.user) return `/users/${item.id}`;
  const type = 'entryListId' in item ? item.entryListId : undefined;
  return type === undefined ? undefined : entryPath(type, item.id);
}
