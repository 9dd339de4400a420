import { Fragment } from 'react';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { formatTimeZoneName } from '../../../lib/dates/time-zones.ts';
import { findDayShift, formatDateValue, formatZoneName, getZoneTimes } from './dates.ts';
import type { Field } from './schema.ts';
import { useShowsAllZones, useTimeZone } from './zone.ts';
import './values.css';

interface DateTextProps {
  value: string;
  isDateOnly: boolean;
  /** Time zone of a date with a time. */
  zone: string;
  title?: string;
}

/** A date, one with a time in the selected time zone or in all three. */
export function DateText({ value, isDateOnly, zone, title }: DateTextProps) {
  const showsAll = useShowsAllZones();
  return (
    <time className="num" dateTime={value} data-moment={isDateOnly ? 'day' : 'moment'} title={title}>
      {showsAll && !isDateOnly ? (
        <AllZones value={value} />
      ) : (
        <>
          {formatDateValue(value, isDateOnly, zone)}
          {!isDateOnly && <span className="val-zone"> {formatZoneName(value, zone)}</span>}
        </>
      )}
    </time>
  );
}

/** A point in time in each zone; the day is repeated only where it is another one. */
function AllZones({ value }: { value: string }) {
  const { site, own } = useTimeZone();
  const times = getZoneTimes(value, site, own);
  const [first] = times;
  if (!first) return value;
  return times.map(({ label, zone, day, clock }, at) => (
    <Fragment key={zone}>
      {at > 0 && ' · '}
      {at === 0 ? `${day}, ${clock}` : day === first.day ? clock : <b>{`${day}, ${clock}`}</b>}
      <span className="val-zone"> {label}</span>
    </Fragment>
  ));
}

interface DatedValue {
  value: FieldValue | undefined;
  field: Pick<Field, 'fieldType' | 'isDateOnly'>;
}

/** Says that the day of a value differs between UTC, the site and the user, with its times; undefined for any other value. */
export function useDayShift({ value, field }: DatedValue): string | undefined {
  const { site, own } = useTimeZone();
  if (field.fieldType !== FIELD.date || field.isDateOnly || typeof value !== 'string') return undefined;
  const times = findDayShift(value, site, own)?.map(({ label, zone, day, clock }) =>
    zone === 'UTC' ? `${day}, ${clock} UTC` : `${day}, ${clock} ${label} (${formatTimeZoneName(zone)})`,
  );
  return times && `Not the same day for everyone: ${times.join(' · ')}`;
}
