import { Paperclip } from 'lucide-react';
import { memo } from 'react';
import type { FieldValue, FieldValueItem } from '../../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../../contract/rules/schema/fields.ts';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../../ui/layout/Badge.tsx';
import type { RowChange } from '../../history/row-changes.ts';
import { DateText } from '../../model/DateText.tsx';
import type { Field } from '../../model/schema.ts';
import { findUrl, isFile, isNamed, formatItem, toItems, formatValue } from '../../model/values.ts';
import { ChoiceBadge } from '../../model/ValueView.tsx';
import { getEntryPath } from './EntryLink.tsx';
import '../../model/values.css';
import './past-cells.css';

// A cell never shows more; rendering a million characters in one line would be slow.
const MAX_TEXT_CHARS = 300;

interface CellValueProps {
  value: FieldValue | undefined;
  field: Field;
  zone: string;
  /** Width in pixels for multiple values; unlimited by default. */
  availableWidth?: number;
}

/** A value in one line of a grid cell, truncated. */
export const CellValue = memo(({ value, field, zone, availableWidth }: CellValueProps) => {
  const items = toItems(value);
  const [only] = items;
  if (items.length === 0) return null;
  // A text without an address is the common case, and is rendered without an element.
  if (typeof only === 'string' && field.fieldType === FIELD.text && findUrl(only) === undefined)
    return only.slice(0, MAX_TEXT_CHARS);
  if (items.length === 1) return <Item item={only ?? null} {...{ field, zone }} />;
  const visibleCount = countFittingItems(items, field, availableWidth);
  return (
    <span className="val-list">
      {items.slice(0, visibleCount).map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- values may repeat and have no other identity
        <Item key={index} {...{ item, field, zone }} />
      ))}
      {items.length > visibleCount && <span className="val-more">+{items.length - visibleCount}</span>}
    </span>
  );
});
CellValue.displayName = 'CellValue';

function Item({ item, field, zone }: { item: FieldValueItem; field: Field; zone: string }) {
  if (field.fieldType === FIELD.date && typeof item === 'string')
    return <DateText value={item} isDateOnly={field.isDateOnly} zone={zone} />;
  const text = formatItem(item, field);
  if (isFile(item))
    return (
      <span className="val-file" title={item.contentType}>
        <Paperclip />
        <bdi>{text}</bdi>
      </span>
    );
  if (!isNamed(item)) {
    const url = typeof item === 'string' ? findUrl(item) : undefined;
    return url === undefined ? (
      text
    ) : (
      <a href={url} target="_blank" rel="noreferrer" tabIndex={-1} className="val-one">
        {text.slice(0, MAX_TEXT_CHARS)}
      </a>
    );
  }
  if (field.fieldType === FIELD.choice) return <ChoiceBadge choice={item} />;
  const href = getHref(item, field);
  return href === undefined ? (
    <bdi>{text}</bdi>
  ) : (
    <a href={href} tabIndex={-1} className="val-one">
      {text === '' ? `Entry ${item.id}` : text}
    </a>
  );
}

function getHref(
  item: Extract<FieldValueItem, { id: number; name: string }>,
  field: Field,
): string | undefined {
  if (field.fieldType === FIELD.user) return `/users/${item.id}`;
  const type = 'entryListId' in item ? item.entryListId : undefined;
  return type === undefined ? undefined : getEntryPath(type, item.id);
}

const MAX_ITEMS = 3;
// Estimated widths in pixels of a character, of the padding of a badge, and of the "+n" behind the badges.
const CHAR_WIDTH = 7;
const BADGE_PADDING = 20;
const MORE_COUNT_WIDTH = 28;

/** Number of items that fit side by side, at least one: one readable badge says more than three truncated ones. */
export function countFittingItems(items: readonly FieldValueItem[], field: Field, width = Infinity): number {
  let usedWidth = 0;
  let count = 0;
  for (const item of items.slice(0, MAX_ITEMS)) {
    usedWidth += formatItem(item, field).length * CHAR_WIDTH + BADGE_PADDING;
    const moreWidth = count + 1 < items.length ? MORE_COUNT_WIDTH : 0;
    if (count > 0 && usedWidth + moreWidth > width) break;
    count += 1;
  }
  return count;
}

const MAX_TITLE_CHARS = 300;
const TONES: Record<RowChange['state'], Tone> = { added: 'ok', removed: 'bad', changed: 'warn' };

/** Badge beside the name: how the row changed since the displayed time. */
export const RowChangeBadge = ({ change }: { change: RowChange }) => (
  <span className="eg-change-badge" title={change.description}>
    <Badge tone={TONES[change.state]}>{change.label}</Badge>
  </span>
);

interface CurrentValueNoteProps {
  currentValue: { value: FieldValue | undefined };
  field: Field;
  zone: string;
}

/** The current value of a field behind its past value. */
export function CurrentValueNote({ currentValue: { value }, field, zone }: CurrentValueNoteProps) {
  return (
    <span
      className="eg-current-value"
      title={`Today: ${formatValue(value, field, zone).slice(0, MAX_TITLE_CHARS) || 'no data'}`}
    >
      now {toItems(value).length === 0 ? 'no data' : <CellValue {...{ value, field, zone }} />}
    </span>
  );
}
