import { z } from 'zod';
import type { TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { getBrowserTimeZone, parseDateTimeField } from '../../../lib/dates/time-zones.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import type { EventStart } from './queries.ts';

/** Where a consumer continues: at an offset, or with the first event since a time. */
export interface MoveValues {
  to: 'offset' | 'time';
  offset: string;
  /** Value of a date field (DateInput), in the time zone of the browser. */
  time: string;
}

/** Converts the value of a date field to a time for the service; undefined for a text that is no date. */
export function toMoment(field: string): string | undefined {
  const time = parseDateTimeField(field, getBrowserTimeZone());
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** Validation of the form that moves a consumer: its offset lies among those that are kept. */
export const buildMoveSchema = ({ oldestOffset, nextOffset }: TopicDefinition) =>
  z
    .object({ to: z.enum(['offset', 'time']), offset: z.string().trim(), time: z.string() })
    .superRefine(({ to, offset, time }, context) => {
      const report = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (to === 'time') {
        if (toMoment(time) === undefined) report('time', 'Enter a date and time');
        return;
      }
      const value = Number(offset);
      if (!/^\d{1,16}$/.test(offset)) report('offset', 'Enter an offset');
      else if (value < oldestOffset || value > nextOffset)
        report('offset', `Enter an offset from ${formatNumber(oldestOffset)} to ${formatNumber(nextOffset)}`);
    });

/** Where the preview reads; undefined while the values are not valid. */
export function toStart(topic: TopicDefinition, values: Partial<MoveValues>): EventStart | undefined {
  const { data } = buildMoveSchema(topic).safeParse(values);
  if (!data) return undefined;
  if (data.to === 'offset') return { from: Number(data.offset) };
  const since = toMoment(data.time);
  return since === undefined ? undefined : { since };
}

const count = (from: number, to: number, one: string, many: string): string =>
  `${formatNumber(to - from)} ${to - from === 1 ? one : many}`;

/** Effect of continuing at `target` instead of `offset`, in one sentence. */
export function describeMove(offset: number, target: number, nextOffset: number): string {
  const unread = `${count(target, nextOffset, 'event is', 'events are')} then unread.`;
  if (target === offset) return `It stays where it is. ${unread}`;
  return target < offset
    ? `${count(target, offset, 'event that it has acknowledged comes', 'events that it has acknowledged come')} again. ${unread}`
    : `${count(offset, target, 'unread event is', 'unread events are')} skipped and not read. ${unread}`;
}
