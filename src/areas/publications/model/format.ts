import type { Consumer, TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import type { TopicSchema } from './schema.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A consumer whose unread events are deleted within this time needs somebody's attention. */
const ALARM_MS = 2 * DAY_MS;

/** Formats a span of time in at most two units: "4 s", "6 min", "31 h", "7 d 17 h". */
export function formatSpan(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < ALARM_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  return `${Math.floor(ms / DAY_MS)} d${hours === 0 ? '' : ` ${hours} h`}`;
}

const rateFormats = [2, 1, 0].map(
  (digits) => new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }),
);

/** Formats events a minute with as many digits as tell something: "0.02", "3.1", "184". */
export const formatRate = (rate: number): string =>
  (rateFormats[rate < 1 ? 0 : rate < 10 ? 1 : 2] ?? rateFormats[0])?.format(rate) ?? '';

/** Events a minute of the last hour. */
export const getRate = (hours: readonly number[]): number => (hours.at(-1) ?? 0) / 60;

/** Formats what a topic streams: "Deals and Companies, 14 fields". */
export function describeContent(
  { name, isDefault, entryTypes }: Pick<TopicDefinition, 'name' | 'isDefault' | 'entryTypes'>,
  { typeById }: Pick<TopicSchema, 'typeById'>,
): string {
  if (isDefault) return DEFAULT_CONTENTS[name] ?? 'Everything';
  const names = entryTypes.map(
    ({ entryTypeId }) => typeById.get(entryTypeId)?.pluralName ?? `type ${entryTypeId}`,
  );
  const listed = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  const hasAll = entryTypes.some(({ fieldIds }) => !fieldIds);
  const fields = entryTypes.reduce((sum, { fieldIds = [] }) => sum + fieldIds.length, 0);
  const all = fields === 0 ? 'all fields' : `all fields and ${pluralize(fields, 'other', 'others')}`;
  return `${listFormat.format(listed)}, ${hasAll ? all : pluralize(fields, 'field', 'fields')}`;
}

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const DEFAULT_CONTENTS: Readonly<Record<string, string>> = {
  'default-data': 'All entry types, all fields',
  'default-users': 'People and groups',
  'default-schema': 'Entry types and fields',
};

/** Formats the key of a consumer beside the name of its owner. */
export const formatConsumer = ({ userName, clientId }: Pick<Consumer, 'userName' | 'clientId'>): string =>
  `${userName}, key ${clientId}`;

/** Time until unread events of a consumer are deleted, in milliseconds; undefined when it has none. */
export const getTimeLeft = ({ unreadDeletedDate }: Consumer, now: number): number | undefined =>
  typeof unreadDeletedDate === 'string' ? Date.parse(unreadDeletedDate) - now : undefined;

/** Whether the consumer will lose unread events soon. */
export const isInDanger = (consumer: Consumer, now: number): boolean =>
  (getTimeLeft(consumer, now) ?? Infinity) < ALARM_MS;

/** State of a consumer in words, and how serious it is. */
export function describeReading(consumer: Consumer, now: number): { tone: Tone; label: string } {
  const { lag, isActive, polledDate } = consumer;
  const left = getTimeLeft(consumer, now);
  if (left !== undefined && isInDanger(consumer, now))
    return {
      tone: 'bad',
      label: left <= 0 ? 'Unread events are being deleted' : `Unread will be lost in ${formatSpan(left)}`,
    };
  if (lag === 0) return { tone: 'ok', label: 'Up to date' };
  if (isActive) return { tone: 'ok', label: 'Catching up' };
  return {
    tone: 'warn',
    label: typeof polledDate === 'string' ? `Silent since ${formatMoment(polledDate)}` : 'Has not polled yet',
  };
}

/** Position of an offset between the oldest kept event and the next one, from 0 to 1. */
export function getPosition(offset: number, { oldestOffset, nextOffset }: TopicDefinition): number {
  const kept = nextOffset - oldestOffset;
  return kept <= 0 ? 1 : Math.min(1, Math.max(0, (offset - oldestOffset) / kept));
}

/** Formats how far a consumer is behind: the age of its oldest unread event. */
export const formatBehind = ({ unreadSince }: Consumer, now: number): string | undefined =>
  typeof unreadSince === 'string' ? `${formatSpan(now - Date.parse(unreadSince))} behind` : undefined;

/** Formats the newest offset of a topic; a topic without events has none. */
export const formatNewest = ({ nextOffset }: Pick<TopicDefinition, 'nextOffset'>): string =>
  nextOffset === 0 ? 'no event yet' : `newest ${formatNumber(nextOffset - 1)}`;
