import { zodResolver } from '@hookform/resolvers/zod';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { updateBackupSettingsMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { readerZone } from '../../../lib/site-zone.ts';
import { clockWords, hourOptions } from '../model/schedule-words.ts';

const route = getRouteApi('/_app/backups/_list/schedule');
const MOST_DAYS = 3650;
const DAYS = `Type a whole number of days between 1 and ${MOST_DAYS}`;

const schema = z.object({
  isDaily: z.boolean(),
  hour: z.number(),
  keepDays: z
    .string()
    .trim()
    .regex(/^\d+$/, DAYS)
    .refine((text) => Number(text) >= 1 && Number(text) <= MOST_DAYS, DAYS),
  includeFiles: z.boolean(),
  verify: z.boolean(),
});

type Values = z.infer<typeof schema>;

/** When backups are made by themselves, how long they are kept, and whether they are proved. */
export function SchedulePanel() {
  const router = useRouter();
  const { timeZone } = useSession().site;
  const { reason } = useAllowed('updateBackupSettings');
  const start = route.useLoaderData();
  const save = useWrite('updateBackupSettings', updateBackupSettingsMutation());
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { ...start, keepDays: String(start.keepDays) },
  });
  const { control, formState } = form;
  const isDaily = useWatch({ control, name: 'isDaily' });
  const hour = useWatch({ control, name: 'hour' });
  useUnsavedGuard(formState.isDirty);
  const close = (saved = false) =>
    router.navigate({ to: '/backups', search: (now) => now, ignoreBlocker: saved });

  const submit = async (values: Values) => {
    const body = { ...values, keepDays: Number(values.keepDays) };
    const saved = await save.mutateAsync({ body }).catch(() => undefined);
    if (!saved) return;
    toast({
      title: saved.isDaily ? 'The schedule was saved' : 'The schedule was switched off',
      ...(saved.isDaily && { description: `Every day at ${clockWords(saved.hour, timeZone, readerZone())}` }),
    });
    await close(true);
  };

  return (
    <Panel title="Schedule of backups" onClose={() => void close()}>
      <Form
        form={form}
        pending={formState.isSubmitting}
        error={save.error}
        submit="Save the schedule"
        disabledReason={reason}
        onCancel={() => void close()}
        onSubmit={submit}
      >
        <SwitchField
          control={control}
          name="isDaily"
          label="Make a backup every day"
          hint="Of the whole site. Without it, one is made only when somebody asks."
        />
        <FormRow>
          <SelectField
            control={control}
            name="hour"
            label="Hour"
            options={hourOptions(timeZone, readerZone())}
            hint={isDaily ? clockWords(hour, timeZone, readerZone()) : 'Counts once it is switched on'}
          />
          <TextField
            control={control}
            name="keepDays"
            label="Days to keep"
            inputMode="numeric"
            maxLength={4}
            hint="Older scheduled ones are deleted; the newest that is ready always stays."
          />
        </FormRow>
        <SwitchField
          control={control}
          name="includeFiles"
          label="With the files of entries"
          hint="Documents and images take most of the room and of the time."
        />
        <SwitchField
          control={control}
          name="verify"
          label="Verify the newest"
          hint="It is restored aside and compared, so that a broken backup is noticed the same day."
        />
      </Form>
    </Panel>
  );
}
