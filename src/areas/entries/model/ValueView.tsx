import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import type { FieldValue, FieldValueItem, NamedValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { cx } from '../../../ui/cx.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { formatDateTooltip } from './dates.ts';
import { DateText } from './DateText.tsx';
import type { Field } from './schema.ts';
import { findUrl, isFile, isNamed, formatItem, toItems } from './values.ts';
import { useTimeZone } from './zone.ts';
import './values.css';

const TONES: readonly Tone[] = ['neutral', 'info', 'ok', 'accent', 'warn'];

/** A choice as a badge whose color depends on its position in the field. */
export const ChoiceBadge = ({ choice: { id, name, seqNumber } }: { choice: NamedValue }) => (
  <Badge tone={TONES[(seqNumber ?? id) % TONES.length] ?? 'neutral'}>{name}</Badge>
);

interface ValueViewProps {
  value: FieldValue | undefined;
  field: Field;
  /** For grid cells: one line, truncated, links outside the tab order. */
  brief?: boolean;
}

// A cell never shows more; rendering a million characters in one line would be slow.
const MAX_BRIEF_CHARS = 300;
const MAX_BRIEF_ITEMS = 3;

/** Renders a value by its field type: links, badges, dates in the selected time zone, plain text. */
export function ValueView({ value, field, brief = false }: ValueViewProps) {
  const items = toItems(value);
  const visible = brief ? items.slice(0, MAX_BRIEF_ITEMS) : items;
  const more = items.length - visible.length;
  if (visible.length === 1 && more === 0)
    return <Item item={visible[0] ?? null} field={field} brief={brief} />;
  return (
    <span className={cx('val-list', !brief && 'val-wrapped')}>
      {visible.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- values may repeat and have no other identity
        <Item key={index} item={item} field={field} brief={brief} />
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
  const text = formatItem(item, field);
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
    return <ZonedDate value={item} isDateOnly={field.isDateOnly} />;
  const url = typeof item === 'string' ? findUrl(item) : undefined;
  if (url !== undefined)
    return (
      <a href={url} target="_blank" rel="noreferrer" tabIndex={tabIndex} className="val-url">
        {brief ? text.slice(0, MAX_BRIEF_CHARS) : text}
      </a>
    );
  if (typeof item === 'string')
    return (
      <bdi className={brief ? undefined : 'val-text'}>{brief ? text.slice(0, MAX_BRIEF_CHARS) : text}</bdi>
    );
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

function ZonedDate({ value, isDateOnly }: { value: string; isDateOnly: boolean }) {
  const { name, site, own } = useTimeZone();
  const title = formatDateTooltip(value, isDateOnly, site, own);
  return <DateText {...{ value, isDateOnly, title }} zone={name} />;
}
