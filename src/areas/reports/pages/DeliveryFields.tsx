import { useQuery } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { ReportSchedule } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listReportRecipientsOptions } from '../../../api/generated/queries/reports.gen.ts';
import { useSession } from '../../../api/session.ts';
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

interface DeliveryFieldsProps {
  control: Control<DeliveryValues>;
  /** The schedule that is changed, which cannot become a single report. */
  schedule?: Pick<ReportSchedule, 'recipients'>;
}

/** Who gets a report, and how often it is generated. */
export function DeliveryFields({ control, schedule }: DeliveryFieldsProps) {
  const { site } = useSession();
  const { data: people, error, refetch } = useQuery(listReportRecipientsOptions());
  const [repeat, recipients] = useWatch({ control, name: ['repeat', 'recipients'] });
  if (!people && error)
    return (
      <ErrorState title="The people could not be loaded" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!people) return <SkeletonRows rows={2} />;
  const refused = schedule?.recipients.filter(
    ({ id }) => recipients.includes(id) && !people.some((person) => person.id === id),
  );
  const refusal = refused && refused.length > 0 ? describeRefused(refused) : undefined;
  return (
    <>
      <MultiSelectField
        control={control}
        name="recipients"
        label="Send to"
        placeholder="Nobody"
        hint={refusal ?? 'They get a mail with a link to the report, which requires signing in.'}
        errorHelp={refusal}
        chosenOptions={schedule?.recipients.map(({ id, name }) => ({ value: id, label: name }))}
        options={people.map(({ id, name, email }) => ({ value: id, label: name, hint: email }))}
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
