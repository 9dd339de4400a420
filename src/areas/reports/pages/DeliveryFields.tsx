import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { ReportSchedule } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listReportRecipientsOptions } from '../../../api/generated/queries/reports.gen.ts';
import { useSession } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { describeRefused, WEEKDAYS } from '../model/schedules.ts';
import type { DeliveryValues, Repetition } from '../model/schedules.ts';

const REPETITIONS: readonly { value: Repetition; label: string }[] = [
  { value: 'once', label: 'Once, now' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
];
const DAYS = Array.from({ length: 31 }, (_, at) => ({ value: at + 1, label: `Day ${at + 1}` }));

/** Most people that the service lists (contract, listReportRecipients). */
const MAX_LISTED_PEOPLE = 1000;
const HINT = 'They get a mail with a link to the report, which requires signing in.';
const SEARCH_HINT = `Only the first ${formatNumber(MAX_LISTED_PEOPLE)} people are listed. Type to find others by name or e-mail.`;

interface DeliveryFieldsProps {
  control: Control<DeliveryValues>;
  /** The schedule that is changed, which cannot become a single report. */
  schedule?: Pick<ReportSchedule, 'recipients'>;
}

/** People whose name or e-mail contains the typed text, where not all can be listed; the service finds them. */
function useSearch(isEnabled: boolean) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const isSearching = isEnabled && search !== '';
  const { data, error } = useQuery({
    ...listReportRecipientsOptions({ query: { search } }),
    enabled: isSearching,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return {
    found: isSearching ? data : undefined,
    failure: isSearching && error !== null ? toServiceError(error).message : undefined,
    setText,
  };
}

/** Who gets a report, and how often it is generated. */
export function DeliveryFields({ control, schedule }: DeliveryFieldsProps) {
  const { site } = useSession();
  const { data: people, error, refetch } = useQuery(listReportRecipientsOptions());
  const hasMore = people !== undefined && people.length >= MAX_LISTED_PEOPLE;
  const search = useSearch(hasMore);
  const [repeat, recipients] = useWatch({ control, name: ['repeat', 'recipients'] });
  if (!people && error)
    return (
      <ErrorState title="The people could not be loaded" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!people) return <SkeletonRows rows={2} />;
  // Of more people than are listed, those who are missing may be able to receive reports.
  const refused = hasMore
    ? []
    : (schedule?.recipients ?? []).filter(
        ({ id }) => recipients.includes(id) && !people.some((person) => person.id === id),
      );
  const refusal = refused.length > 0 ? describeRefused(refused) : undefined;
  return (
    <>
      <MultiSelectField
        control={control}
        name="recipients"
        label="Send to"
        placeholder="Nobody"
        hint={refusal ?? search.failure ?? (hasMore ? `${HINT} ${SEARCH_HINT}` : HINT)}
        errorHelp={refusal}
        chosenOptions={schedule?.recipients.map(({ id, name }) => ({ value: id, label: name }))}
        options={(search.found ?? people).map(({ id, name, email }) => ({
          value: id,
          label: name,
          hint: email,
        }))}
        onSearch={hasMore ? search.setText : undefined}
      />
      <SelectField
        control={control}
        name="repeat"
        label="Generate"
        options={schedule ? REPETITIONS.slice(1) : REPETITIONS}
      />
      {repeat === 'weekly' && (
        <SelectField control={control} name="weekday" label="Day of the week" options={WEEKDAYS} />
      )}
      {repeat === 'monthly' && (
        <SelectField
          control={control}
          name="dayOfMonth"
          label="Day of the month"
          hint="In shorter months the last day."
          options={DAYS}
        />
      )}
      {repeat !== 'once' && (
        <TextField
          control={control}
          name="time"
          label="Time"
          placeholder="07:30"
          hint={`In the time zone of the site (${site.timeZone}), with your rights at that moment.`}
        />
      )}
    </>
  );
}
