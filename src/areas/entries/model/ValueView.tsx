import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldValue, FieldValueItem } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import { ChoiceBadge } from './ChoiceBadge.tsx';
import { dateNote, dateWords, zoneMark } from './dates.ts';
import type { Field } from './schema.ts';
import { isFile, isNamed, itemText, itemsOf } from './values.ts';
import { OWN_ZONE, useZone } from './zone.ts';
import './values.css';

interface ValueViewProps {
  value: FieldValue | undefined;
  field: Field;
  /** In a cell: one line, cut where it is long, its links outside of the tab order. */
  brief?: boolean;
}

// The first characters say what a text is about; a million of them in one line say no more.
const BRIEF_TEXT = 300;
const BRIEF_ITEMS = 3;

/** A value as its field type is shown everywhere: links, tags, dates in the chosen zone, texts as texts. */
export function ValueView({ value, field, brief = false }: ValueViewProps) {
  const items = itemsOf(value);
  const shown = brief ? items.slice(0, BRIEF_ITEMS) : items;
  const more = items.length - shown.length;
  if (shown.length === 1 && more === 0) return <Item item={shown[0] ?? null} field={field} brief={brief} />;
  return (
    <span className={cx('val-list', !brief && 'val-wrapped')}>
      {shown.map((item, at) => (
        // A list may hold the same value twice; it has no other identity than its place.
        // oxlint-disable-next-line react/no-array-index-key
        <Item key={at} item={item} field={field} brief={brief} />
      ))}
      {more > 0 && <span className="val-more">+{more}</span>}
    </span>
  );
}

interface ItemProps {
  item: FieldValueItem;
  field: Field;
  brief: boolean;
}

function Item({ item, field, brief }: ItemProps) {
  const text = itemText(item, field);
  const tabIndex = brief ? -1 : undefined;
  if (isFile(item))
    return (
      <span className="val-file" title={item.contentType}>
        <Paperclip />
        <bdi>{text}</bdi>
      </span>
    );
  if (isNamed(item)) {
    if (field.fieldType === FIELD.choice) return <ChoiceBadge choice={item} />;
    if (field.fieldType === FIELD.user)
      return (
        <Link to="/users/$userId" params={{ userId: item.id }} tabIndex={tabIndex}>
          <bdi>{text}</bdi>
        </Link>
      );
    return <Reference {...{ item, text, tabIndex }} />;
  }
  if (field.fieldType === FIELD.date && typeof item === 'string')
    return <DateText value={item} isDateOnly={field.isDateOnly} />;
  if (typeof item === 'string')
    return <bdi className={brief ? undefined : 'val-text'}>{brief ? text.slice(0, BRIEF_TEXT) : text}</bdi>;
  return <span className="num">{text}</span>;
}

interface ReferenceProps {
  item: Extract<FieldValueItem, { id: number; name: string }>;
  text: string;
  tabIndex: -1 | undefined;
}

function Reference({ item, text, tabIndex }: ReferenceProps) {
  const type = 'entryListId' in item ? item.entryListId : undefined;
  if (type === undefined) return <bdi>{text}</bdi>;
  return (
    <Link to="/entries/$type/$entryId" params={{ type: String(type), entryId: item.id }} tabIndex={tabIndex}>
      <bdi>{text === '' ? `Entry ${item.id}` : text}</bdi>
    </Link>
  );
}

function DateText({ value, isDateOnly }: { value: string; isDateOnly: boolean }) {
  const { name, site } = useZone();
  return (
    <time className="num" dateTime={value} title={dateNote(value, isDateOnly, site, OWN_ZONE)}>
      {dateWords(value, isDateOnly, name)}
      {!isDateOnly && <span className="val-zone"> {zoneMark(value, name)}</span>}
    </time>
  );
}
